// SPDX-License-Identifier: BSD-3-Clause
// Policy TASK: messages and pieces of the sweeps say which cells they read and write; nothing else
// says what overlaps, and neither colours nor steps are separated.  A step is recorded once and
// replayed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "shares.hpp"
#include "support/face.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::axis;
using plait::in;
using plait::out;
using plait::app::face;

using cells_of_colour = plait::view<double, 3>;

/// The memory from a box's first to its last cell of plane z.  Exact for whole rows; if x is
/// divided it includes cells of other tasks, which orders more than necessary but never too little.
std::span<double> cells_of_plane(const cells_of_colour& u, box b, std::int64_t z) {
  b.low[axis::z] = z;
  b.high[axis::z] = z + 1;
  return plait::app::cells_in_memory(u, b);
}

/// The ghosts of one colour on one side.
struct ghosts_of_face {
  face of;
  std::vector<double> outgoing;  ///< only where cells must be packed
  std::vector<double> incoming;
  plait::task_name sending = "send";
  plait::task_name receiving = "receive";
};

class dataflow final : public variant {
 public:
  dataflow(plait::environment& env, const policy& how, slow_worker slow)
      : env_(env), how_(how), slow_which_(slow) {}

  void prepare(problem& p) override {
    slow_.emplace(slow_which_);
    data_ = p.data();
    rt_.emplace(env_, plait::runtime_options{.workers = how_.threads,
                                             .window = most_tasks,
                                             .policy = how_.proxy ? plait::progress::dedicated
                                                                  : plait::progress::automatic});
    const plait::interior_and_rim<3> parts = p.parts();
    interior_ = cut_finely(data_, parts.interior, rt_->workers());
    rim_ = parts.rim;
    for (const colour c : both_colours) keep_faces(p, c);
    step_.emplace(rt_->record([&] {
      for (const colour c : both_colours) submit_sweep(c);
    }));
    rt_->start_trace();
  }

  void run(problem&, int steps, const step_range& recorded) override {
    rt_->reset_ledger();
    rt_->replay(*step_, static_cast<std::uint64_t>(steps));
    rt_->wait();
    recorded_ = recorded;
    report_.ledger = rt_->ledger();
  }

  [[nodiscard]] run_report finish(problem&) override {
    double wait_s = 0;
    double compute_s = 0;
    for (const plait::ledger_entry& worker : report_.ledger) {
      const double share = 1.0 / static_cast<double>(report_.ledger.size());
      wait_s += share * (worker.posting_s + worker.exposed_s);
      compute_s += share * worker.compute_s;
    }
    report_.figures = {{"wait_s", wait_s}, {"compute_s", compute_s}};
    keep_events();
    if (rt_->progress_choice().proxy) report_.proxy_cpu_s = rt_->progress_statistics().proxy_cpu_s;
    report_.workers = rt_->workers();
    report_.words["progress"] = rt_->progress_choice().name;
    step_.reset();
    rt_.reset();
    for (auto& faces : faces_) faces.clear();
    return std::move(report_);
  }

 private:
  static constexpr std::size_t most_tasks = std::size_t{1} << 17;

  void keep_faces(const problem& p, colour c) {
    for (const face& f : plait::app::faces_of(p.whole().blocks(), p.rank())) {
      ghosts_of_face& one = faces_[index_of(c)].emplace_back();
      one.of = f;
      one.sending = plait::task_name::intern("send to " + std::to_string(f.peer));
      one.receiving = plait::task_name::intern("receive from " + std::to_string(f.peer));
      if (f.contiguous()) continue;
      one.outgoing.resize(static_cast<std::size_t>(f.edge.size()));
      one.incoming.resize(one.outgoing.size());
    }
  }

  /// Packed ghosts are unpacked after the interior is submitted: where x is divided, the rows the
  /// interior reads enclose ghosts, and program order decides who comes first.
  void submit_sweep(colour c) {
    for (ghosts_of_face& one : faces_[index_of(other(c))]) exchange(other(c), one);
    for (const box& piece : interior_) submit_piece(c, "interior", plait::normal, piece);
    for (ghosts_of_face& one : faces_[index_of(other(c))])
      if (!one.of.contiguous()) unpack_ghosts(other(c), one);
    for (const box& piece : rim_) submit_piece(c, "annulus", plait::high, piece);
  }

  void submit_piece(colour c, plait::task_name name, plait::priority urgency, const box& cells) {
    const cells_of_colour& read = data_.u[index_of(other(c))];
    const cells_of_colour& written = data_.u[index_of(c)];
    auto computing = rt_->task(
        name,
        [](dataflow* self, colour swept, const box& own) {
          self->slow_->run(self->slow_->number(), [&] { relax(self->data_, swept, own); });
        },
        this, c, cells);
    computing.priority(urgency);
    const box around = plait::grow(cells, {1, 1, 0});
    computing.also(in(cells_of_plane(read, cells, cells.low[axis::z] - 1)));
    for (std::int64_t z = cells.low[axis::z]; z < cells.high[axis::z]; ++z) {
      computing.also(in(cells_of_plane(read, around, z)));
      computing.also(out(cells_of_plane(written, cells, z)));
    }
    computing.also(in(cells_of_plane(read, cells, cells.high[axis::z])));
  }

  void exchange(colour c, ghosts_of_face& one) {
    const cells_of_colour& u = data_.u[index_of(c)];
    const face& f = one.of;
    if (f.contiguous()) {
      rt_->recv(one.receiving, out(plait::app::cells_in_memory(u, f.ghost)), f.peer,
                first_tag(c) + f.receive_tag());
      rt_->send(one.sending, in(plait::app::cells_in_memory(u, f.edge)), f.peer,
                first_tag(c) + f.send_tag());
      return;
    }
    rt_->recv(one.receiving, out(one.incoming), f.peer, first_tag(c) + f.receive_tag());
    {
      auto packing = rt_->task(
          "pack",
          [](const cells_of_colour& source, const box& from, std::vector<double>& buffer) {
            plait::app::pack(source, from, buffer);
          },
          u, f.edge, out(one.outgoing));
      packing.priority(plait::high);
      for (std::int64_t z = f.edge.low[axis::z]; z < f.edge.high[axis::z]; ++z)
        packing.also(in(cells_of_plane(u, f.edge, z)));
    }
    rt_->send(one.sending, in(one.outgoing), f.peer, first_tag(c) + f.send_tag());
  }

  void unpack_ghosts(colour c, ghosts_of_face& one) {
    const cells_of_colour& u = data_.u[index_of(c)];
    const box& to = one.of.ghost;
    auto unpacking = rt_->task(
        "unpack",
        [](const cells_of_colour& target, const box& cells, const std::vector<double>& buffer) {
          plait::app::unpack(target, cells, buffer);
        },
        u, to, in(one.incoming));
    unpacking.priority(plait::high);
    for (std::int64_t z = to.low[axis::z]; z < to.high[axis::z]; ++z)
      unpacking.also(out(cells_of_plane(u, to, z)));
  }

  /// Steps overlap: what happened from the first beginning to the last end of anything that belongs
  /// to the recorded ones.
  void keep_events() {
    std::vector<plait::trace_event> events = rt_->stop_trace();
    double first_s = std::numeric_limits<double>::infinity();
    double last_s = 0;
    for (const plait::trace_event& e : events) {
      if (e.iteration < recorded_.first || e.iteration >= recorded_.last) continue;
      first_s = std::min(first_s, e.begin_s);
      last_s = std::max(last_s, e.end_s);
    }
    std::erase_if(events, [&](const plait::trace_event& e) {
      return e.end_s <= first_s || e.begin_s >= last_s;
    });
    report_.events = std::move(events);
    report_.recorded_from_s = first_s;
  }

  plait::environment& env_;
  const policy how_;
  const slow_worker slow_which_;
  std::optional<slowness> slow_;
  block_data data_;
  std::vector<box> interior_;
  std::vector<box> rim_;
  std::array<std::vector<ghosts_of_face>, 2> faces_;  ///< by the colour of the ghosts
  std::optional<plait::runtime> rt_;
  std::optional<plait::graph> step_;
  step_range recorded_;
  run_report report_;
};

}  // namespace

std::unique_ptr<variant> make_tasks(plait::environment& env, const policy& how, slow_worker slow) {
  return std::make_unique<dataflow>(env, how, slow);
}

std::unique_ptr<variant> make_variant(plait::environment& env, const policy& how,
                                      slow_worker slow) {
  switch (how.what) {
    case policy::kind::hand:
      return make_hand(env, slow);
    case policy::kind::ideal:
      return make_ideal(env, slow);
    case policy::kind::tasks:
      return make_tasks(env, how, slow);
    case policy::kind::multi_tier:
      break;
  }
  return make_multi_tier(env, how, slow);
}

}  // namespace redblack3d
