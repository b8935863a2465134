// SPDX-License-Identifier: BSD-3-Clause
// Row `device_olap`: the overlap written by hand.  What neighbours need is turned first, in a queue
// of high priority, and copied and sent in parts; the rest is turned and multiplied meanwhile, and
// each strip of the rim when its ghosts have come.  The device is never waited for: queues wait for
// each other's marks, and the host looks after messages, sums (MPI_Iallreduce) and copies in turns.
//
// The waits that a queue needs, where no sum has made the host wait since:
//   copy of an edge      the turn of its rows
//   product, inside      turns of the rim, in the other queue
//   product, rim         turns of what is inside, in the other queue, and copies of its ghosts
//   copy of lanes        products of both queues, or what shortened r
// The rest follows from sums.  Turns come after the sum of r.r, for which all strips were
// shortened; that comes after the sum of p.w, for which every rank has multiplied with ghosts that
// are copies of the edges.  So when p is turned again its edges have left, and when new ghosts come
// nobody reads the old ones.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include "common/device/halo_in_parts.hpp"
#include "device/row.hpp"
#include "measure/base/rank_sum.hpp"

namespace poisson {
namespace {

using plait::activity;
using plait::axis;
using plait::device_queue;
using plait::by_hand::mark;
using plait::stencil::halo_in_parts;

/// Returns whether rows of a plane lie in a strip.
[[nodiscard]] bool meet(const box& plane, const box& rows) {
  return rows.low[axis::z] <= plane.low[axis::z] && plane.low[axis::z] < rows.high[axis::z] &&
         rows.low[axis::y] < plane.high[axis::y] && plane.low[axis::y] < rows.high[axis::y];
}

/// Rows that neighbours need, and the parts of faces that they are: two where the block is a plane.
struct edge_part {
  box rows;
  std::vector<std::size_t> of_faces = {};
};

/// A strip of the rim, and the parts of faces whose ghosts it needs.
struct rim_strip {
  std::size_t number = 0;  ///< of the strip
  std::vector<std::size_t> ghosts = {};
  bool is_multiplied = false;
};

class olap_row final : public row_by_hand, private halo_in_parts::user {
 public:
  using row_by_hand::row_by_hand;

 private:
  void make() override {
    const int parts = plait::stencil::parts_of(how(), there().lies, faces());
    halo_.emplace(there().gpu, there().lies, faces(), parts, communicator());
    sums_.emplace(communicator());
    edges_.clear();
    for (const box& rows : plait::stencil::parts_of_edges(faces(), parts)) edges_.push_back({rows});
    rim_.clear();
    for (std::size_t i = 0; i < strips().size(); ++i)
      if (strips()[i].rim) rim_.push_back({i});
    for (std::size_t part = 0; part < halo_->parts(); ++part) {
      const box& edge = (*halo_)[part].edge;
      std::ranges::find(edges_, edge, &edge_part::rows)->of_faces.push_back(part);
      for (rim_strip& one : rim_)
        if (meet(edge, strips()[one.number].rows)) one.ghosts.push_back(part);
    }
  }
  void unmake() noexcept override {
    halo_.reset();
    sums_.reset();
  }

  // An iteration --------------------------------------------------------------------------------

  void solve() override {
    naps_.emplace();
    expect_ghosts(0);
    while (!c().done) {
      begin_iteration();
      turn_and_multiply();
      while (rest_ > 0) look();
      c().step_length(sum(there().pw_lanes, "sum p·w"));
      if (c().iterations + 1 < c().most) expect_ghosts(step() + 1);
      for (std::size_t i = 0; i < strips().size(); ++i) shorten(device_queue::compute, i);
      c().next_direction(sum(there().rr_lanes, "sum r·r"));
    }
    halo_->expect_no_more();
    while (!halo_->has_sent()) look();
    naps_.reset();
  }

  [[nodiscard]] int step() { return static_cast<int>(c().iterations); }

  void expect_ghosts(int of_step) {
    for (std::size_t part = 0; part < halo_->parts(); ++part) halo_->expect(part, of_step);
  }

  void turn_and_multiply() {
    for (const edge_part& one : edges_) {
      turn(device_queue::urgent, one.rows);
      const mark turned = behind(device_queue::urgent);
      for (const std::size_t part : one.of_faces) halo_->send(part, step(), turned);
    }
    for_each_inside([this](std::size_t i) { turn(device_queue::compute, strips()[i].rows); });
    turned_inside_ = behind(device_queue::compute);
    plait::by_hand::wait(queue(device_queue::compute, "product"), behind(device_queue::urgent));
    for_each_inside([this](std::size_t i) { product(device_queue::compute, i); });
    rest_ = rim_.size();
    for (rim_strip& one : rim_) {
      one.is_multiplied = false;
      multiply_if_ready(one);  // a neighbour may be ahead
    }
    watch().lap(activity::posting, "enqueue");
  }

  void for_each_inside(const auto& enqueue) {
    for (std::size_t i = 0; i < strips().size(); ++i)
      if (!strips()[i].rim) enqueue(i);
  }

  [[nodiscard]] mark behind(device_queue all) { return plait::by_hand::record(queue(all, "mark")); }

  // Ghosts --------------------------------------------------------------------------------------

  span_there array_of(int) override { return there().p.all(); }
  mark last_reader(std::size_t, int) override { return {}; }
  void ghost_comes(std::size_t part, int) override {
    for (rim_strip& one : rim_)
      if (std::ranges::count(one.ghosts, part) != 0) multiply_if_ready(one);
  }

  void multiply_if_ready(rim_strip& one) {
    const auto has_come = [this](std::size_t part) { return halo_->received(part) > step(); };
    if (one.is_multiplied || !std::ranges::all_of(one.ghosts, has_come)) return;
    const plait::queue q = queue(device_queue::urgent, "product");
    plait::by_hand::wait(q, turned_inside_);
    for (const std::size_t part : one.ghosts)
      plait::by_hand::wait(q, halo_->ghost_copied(part, step()));
    product(device_queue::urgent, one.number);
    one.is_multiplied = true;
    --rest_;
  }

  // Sums ----------------------------------------------------------------------------------------

  double sum(plait::device_array<double>& lanes, const char* name) {
    for (const device_queue all : {device_queue::urgent, device_queue::compute})
      plait::by_hand::wait(queue(device_queue::to_host, name), behind(all));
    const mark copied = copy_lanes(lanes);
    while (!plait::by_hand::has_passed(there().gpu, copied)) look();
    reduction().measure([&] {
      sums_->start(own_sum());
      // The device has nothing to compute, so nobody misses the core.
      while (!sums_->test())
        if (!halo_->look(*this, watch())) std::this_thread::yield();
    });
    watch().lap(activity::exposed, name);
    return sums_->total();
  }

  void look() {
    const bool moved = halo_->look(*this, watch());
    watch().lap(activity::posting, "look");
    if (!moved) naps_->take(watch());
  }

  std::optional<halo_in_parts> halo_;
  std::optional<plait::measure::open_rank_sum> sums_;
  std::vector<edge_part> edges_;
  std::vector<rim_strip> rim_;
  std::size_t rest_ = 0;  ///< strips of the rim that are not multiplied
  mark turned_inside_;
  std::optional<plait::stencil::brief_naps> naps_;  ///< in a run
};

}  // namespace

std::unique_ptr<variant> make_device_olap(plait::environment& env, const options& chosen) {
  return std::make_unique<olap_row>(env, chosen);
}

}  // namespace poisson
