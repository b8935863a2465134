// SPDX-License-Identifier: BSD-3-Clause
// Row `device_olap`: the overlap written by hand.  Rim and messages are cut in parts, and each part
// goes its own way: a ghost that has come is copied to the device, its part of the rim is computed
// in a queue of high priority, and the new edge is copied back and sent, while the interior is
// computed.  The device is never waited for: queues wait for each other's marks, and the host looks
// after messages (MPI_Testsome) and copies to the host in turns.
//
// The waits that a queue needs, step t reading iterate t and writing iterate t + 1, which are two
// memories in turns:
//   copy of ghost t    the rim's kernel of t - 2, which read the ghost that lay there
//   rim, step t        ghosts of t; the pieces next to it of t - 1, whose values it reads and which
//                      read what it overwrites; the copy of edge t - 1, which reads that as well
//   near the rim, t    the rim of t - 1, likewise
//   far from it, t     what is near it of t - 1, in the same queue
//   copy of edge t     the rim of t - 1
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "common/device/halo_in_parts.hpp"
#include "device/row.hpp"
#include "device/rows.hpp"

namespace jacobi3d {
namespace {

using plait::activity;
using plait::device_queue;
using plait::by_hand::mark;
using plait::stencil::halo_in_parts;
using plait::stencil::in_turns;

/// A part of the rim, and the parts of faces that lie there: two where the block is a plane.
struct rim_part {
  box cells;
  std::vector<std::size_t> of_faces = {};
  in_turns<mark> computed = {};
  bool is_launched = false;  ///< in this step
};

class olap_row final : public row_by_hand, private halo_in_parts::user {
 public:
  olap_row(MPI_Comm communicator, const device_options& how)
      : row_by_hand(setting::distributed, how), communicator_(communicator) {}

 private:
  // What a run needs ----------------------------------------------------------------------------

  void make() override {
    const device_block& on = block();
    halo_.emplace(on.gpu(), on.lies(), on.faces(), on.parts(), communicator_);
    rim_.clear();
    rim_of_.assign(halo_->parts(), 0);
    for (const rim_plane& plane : on.rim()) {
      const std::size_t first = rim_.size();
      for (const box& cells : plane.parts) rim_.push_back({cells});
      for (std::size_t i = 0; i < halo_->parts(); ++i) {
        if (std::ranges::count(plane.faces, (*halo_)[i].face) == 0) continue;
        rim_of_[i] = first + (*halo_)[i].place;
        rim_[rim_of_[i]].of_faces.push_back(i);
      }
    }
    rim_is_computed_ = {};
    computed_near_ = {};
  }
  void unmake() noexcept override { halo_.reset(); }

  // A run ---------------------------------------------------------------------------------------

  void advance(int steps) override {
    const plait::stencil::brief_naps naps;
    steps_ = steps;
    for (std::size_t i = 0; i < halo_->parts(); ++i) {
      halo_->expect(i, 0);
      halo_->send(i, 0, {});
    }
    for (step_ = 0; step_ < steps; ++step_) {
      begin(step_);
      compute_interior();
      for (rim_part& one : rim_) one.is_launched = false;
      rest_ = rim_.size();
      for (rim_part& one : rim_) launch_if_ready(one);
      while (rest_ > 0) look(naps);
    }
    while (!halo_->has_sent()) look(naps);
  }

  void compute_interior() {
    const plait::queue q = queue(device_queue::compute, "interior");
    if (step_ == 0) compute_far(q, 0);
    plait::by_hand::wait(q, rim_is_computed_);
    for (const box& cells : block().near()) relax(q, step_, cells);
    computed_near_[step_] = plait::by_hand::record(q);
    // What is far from the rim needs no ghosts: it fills the wait for those of this step.
    if (step_ + 1 < steps_) compute_far(q, step_ + 1);
    watch().lap(activity::posting, "enqueue");
  }

  void compute_far(const plait::queue& q, int step) {
    for (const box& cells : block().far()) relax(q, step, cells);
  }

  void look(const plait::stencil::brief_naps& naps) {
    const bool moved = halo_->look(*this, watch());
    watch().lap(activity::posting, "look");
    if (!moved) naps.take(watch());
  }

  // Ghosts and the rim --------------------------------------------------------------------------

  span_there array_of(int step) override { return block().iterate(step); }
  mark last_reader(std::size_t part, int step) override {
    return rim_[rim_of_[part]].computed[step];  // of step - 2
  }
  void ghost_comes(std::size_t part, int step) override {
    if (step + 1 < steps_) halo_->expect(part, step + 1);
    launch_if_ready(rim_[rim_of_[part]]);
  }

  void launch_if_ready(rim_part& one) {
    const auto has_come = [this](std::size_t part) { return halo_->received(part) > step_; };
    if (one.is_launched || !std::ranges::all_of(one.of_faces, has_come)) return;
    const plait::queue q = queue(device_queue::urgent, "rim");
    if (step_ > 0) plait::by_hand::wait(q, computed_near_[step_ - 1]);
    for (const std::size_t part : one.of_faces) {
      plait::by_hand::wait(q, halo_->ghost_copied(part, step_));
      plait::by_hand::wait(q, halo_->edge_copied(part, step_ + 1));  // of step_ - 1
    }
    relax(q, step_, one.cells);
    rim_is_computed_ = one.computed[step_] = plait::by_hand::record(q);
    if (step_ + 1 < steps_)
      for (const std::size_t part : one.of_faces) halo_->send(part, step_ + 1, rim_is_computed_);
    one.is_launched = true;
    --rest_;
  }

  MPI_Comm communicator_;
  std::optional<halo_in_parts> halo_;
  std::vector<rim_part> rim_;
  std::vector<std::size_t> rim_of_;  ///< by part of a face
  int steps_ = 0;
  int step_ = 0;
  std::size_t rest_ = 0;  ///< parts of the rim that are not launched
  mark rim_is_computed_;
  in_turns<mark> computed_near_;
};

}  // namespace

std::unique_ptr<variant> make_device_olap(plait::environment& env, const device_options& how) {
  return std::make_unique<olap_row>(plait::native(env), how);
}

}  // namespace jacobi3d
