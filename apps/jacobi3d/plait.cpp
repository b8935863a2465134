// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Each step submits its messages, then its pieces of the sweep; each of
// them says which cells it reads and writes.  Nothing else says what overlaps, and steps are not
// separated.  Two steps, there and back, are recorded once and replayed.
#include <atomic>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <plait/plait.hpp>

#include "faces.hpp"
#include "kernel.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::in;
using plait::inout;
using plait::out;

// Pieces of about a millisecond: the worker then looks after messages between two of them before
// the proxy has to interrupt it, and the planes two pieces share are still in the cache.  (Compared
// with twice and half of it, interleaved, on two nodes: the least time over `ideal` of the three.)
constexpr std::int64_t cells_per_piece = std::int64_t{1} << 20;
// A face travels in parts, so that the rim behind the first is computed, and sent on, while the
// others are still under way: the link does not stand still between two steps.  A part is less than
// 64 KiB, what Open MPI sends over TCP without a handshake; the answer to one waits behind bulk
// data in the socket.
constexpr std::int64_t cells_per_message = std::int64_t{15} << 9;

/// Part of the sweep.
struct piece {
  box cells;
  int steps_done = 0;
};

/// When the recorded steps began.
struct step_times {
  static constexpr plait::ticks not_yet = std::numeric_limits<plait::ticks>::max();

  plait::interval recorded;
  /// First piece of the first recorded step; of a run recorded from step 0 on, its begin.
  std::atomic<plait::ticks> first{not_yet};
  std::atomic<plait::ticks> after_last{not_yet};  ///< first piece of the step after them

  void note(int step) noexcept {
    std::atomic<plait::ticks>* time = step == recorded.first  ? &first
                                      : step == recorded.last ? &after_last
                                                              : nullptr;
    plait::ticks unset = not_yet;
    if (time != nullptr) time->compare_exchange_strong(unset, plait::now_ticks());
  }
};

/// Part of a face: cut across its longer side, the same way on both ranks.
struct part {
  face of;
  box edge;
  box ghost;
  int number = 0;
  plait::task_name sending = "send";
  plait::task_name receiving = "receive";
  std::vector<double> outgoing;  ///< only where cells must be packed
  std::vector<double> incoming;

  [[nodiscard]] int send_tag() const noexcept { return 6 * number + of.send_tag(); }
  [[nodiscard]] int receive_tag() const noexcept { return 6 * number + of.receive_tag(); }
};

/// Cuts a box one cell thick along z (faces in x and y) or y (faces in z) into parts of about
/// `cells`.
template <class Visitor>
void for_each_part(const box& whole_box, plait::axis normal, std::int64_t cells, Visitor&& visit) {
  const bool along_y = normal == plait::axis::z;
  const std::int64_t first = along_y ? whole_box.y0 : whole_box.z0;
  const std::int64_t last = along_y ? whole_box.y1 : whole_box.z1;
  const std::int64_t row =
      std::max<std::int64_t>(1, whole_box.cells() / std::max<std::int64_t>(1, last - first));
  const std::int64_t rows = std::max<std::int64_t>(1, cells / row);
  for (std::int64_t at = first; at < last; at += rows) {
    box piece = whole_box;
    (along_y ? piece.y0 : piece.z0) = at;
    (along_y ? piece.y1 : piece.z1) = std::min(at + rows, last);
    visit(piece);
  }
}

/// The bytes from a box's first to its last cell of plane z.  Exact for whole rows; if x is divided
/// they include cells of other tasks, which orders more than necessary but never too little.
template <class Field>
[[nodiscard]] auto cells_of_plane(Field& f, const box& b, std::int64_t z) {
  auto* first = f.at(b.x0, b.y0, z);
  return std::span(first, static_cast<std::size_t>(f.at(b.x1 - 1, b.y1 - 1, z) + 1 - first));
}

class tasks final : public variant {
 public:
  tasks(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) override {
    cut_block(p);
    const auto policy = plait::progress_from(options_.policy);
    if (!policy) {
      throw plait::usage_error("policy '" + options_.policy + "' is unknown; it can be " +
                               plait::progress_names());
    }
    rt_.emplace(env_,
                plait::runtime_options{
                    .workers = options_.workers, .window = options_.window, .policy = *policy});
    rt_->start_trace();
  }

  void run(problem& p, int steps, const plait::interval& recorded) override {
    rt_->reset_ledger();
    times_.recorded = recorded;
    // A whole run begins with its messages, not with its first piece.
    times_.first = recorded.first == 0 ? plait::now_ticks() : step_times::not_yet;
    times_.after_last = step_times::not_yet;
    for (auto* pieces : {&interior_, &rim_}) {
      for (piece& one : *pieces) one.steps_done = 0;
    }

    // The fields stay where they are while tasks refer to them: which is which alternates.
    plait::graph two_steps = rt_->record([&] {
      submit_step(p.u, p.b, p.v);
      submit_step(p.v, p.b, p.u);
    });
    if (two_steps.tasks() <= options_.window) {
      rt_->replay(two_steps, static_cast<std::uint64_t>(steps / 2));
    } else {
      for (int step = 0; step < steps / 2 * 2; ++step) {
        submit_step(step % 2 == 0 ? p.u : p.v, p.b, step % 2 == 0 ? p.v : p.u);
      }
    }
    if (steps % 2 != 0) submit_step(p.u, p.b, p.v);
    rt_->wait();
    if (steps % 2 != 0) std::swap(p.u, p.v);
    report_.ledger = rt_->ledger();
  }

  [[nodiscard]] run_report finish() override {
    const double end_s =
        plait::ticks_to_seconds(std::min(times_.after_last.load(), plait::now_ticks()));
    report_.recorded_from_s = plait::ticks_to_seconds(times_.first);
    report_.events.clear();
    for (plait::trace_event& e : rt_->stop_trace()) {
      if (e.end_s > report_.recorded_from_s && e.begin_s < end_s)
        report_.events.push_back(std::move(e));
    }
    const auto statistics = rt_->progress_statistics();
    if (rt_->progress_choice().proxy) report_.proxy_cpu_s = statistics.proxy_cpu_s;
    report_.longest_unwatched_s = statistics.longest_unwatched_s;
    report_.workers = rt_->workers();
    report_.policy_chosen = rt_->progress_choice().name;
    report_.policy_reason = rt_->progress_choice().reason;
    rt_.reset();
    return report_;
  }

 private:
  void cut_block(const problem& p) {
    parts_.clear();
    const std::vector<face> faces = faces_of(p.blocks(), p.rank());
    for (const face& f : faces) {
      std::vector<box> ghosts;
      for_each_part(f.ghost, f.along, cells_per_message,
                    [&](const box& b) { ghosts.push_back(b); });
      int number = 0;
      for_each_part(f.edge, f.along, cells_per_message, [&](const box& edge) {
        part& one = parts_.emplace_back();
        one.of = f;
        one.edge = edge;
        one.ghost = ghosts[static_cast<std::size_t>(number)];
        one.number = number++;
        one.sending = plait::task_name::intern("send to " + std::to_string(f.peer));
        one.receiving = plait::task_name::intern("receive from " + std::to_string(f.peer));
        if (!f.contiguous()) {
          one.outgoing.resize(static_cast<std::size_t>(edge.cells()));
          one.incoming.resize(static_cast<std::size_t>(edge.cells()));
        }
      });
    }
    const interior_and_rim block = cut(p.size(), faces);
    rim_.clear();
    for (std::size_t i = 0; i < block.rim.size(); ++i) {
      for_each_part(block.rim[i], faces[i].along, 4 * cells_per_message,
                    [&](const box& b) { rim_.push_back({b}); });
    }
    interior_.clear();
    for_each_piece(p.u, block.interior, cells_per_piece,
                   [&](const box& b) { interior_.push_back({b}); });
  }

  /// One step from u to v.  Packed ghosts are unpacked after the interior is submitted: where x
  /// is divided, the rows the interior reads enclose ghosts, and program order decides who comes
  /// first.
  void submit_step(field& u, const field& b, field& v) {
    for (part& one : parts_) exchange(u, one);
    for (piece& one : interior_) submit_piece("interior", plait::normal, u, b, v, one);
    for (part& one : parts_) {
      if (!one.of.contiguous()) unpack_ghosts(u, one);
    }
    for (piece& one : rim_) submit_piece("rim", plait::high, u, b, v, one);
  }

  void submit_piece(plait::task_name name, plait::priority urgency, field& u, const field& b,
                    field& v, piece& one) {
    const auto compute = [](const field* from, const field* source, field* to, const box& cells,
                            int& steps_done, step_times* times) {
      times->note(steps_done++);
      relax(*from, *source, *to, cells);
    };
    auto computing =
        rt_->task(name, compute, &u, &b, &v, one.cells, inout(one.steps_done), &times_);
    computing.priority(urgency);
    declare(computing, u, v, one.cells);
  }

  /// What the 7-point stencil touches: these cells of v, and of u these and their neighbours.
  static void declare(auto& computing, const field& u, field& v, const box& cells) {
    box around = cells;
    --around.x0, ++around.x1, --around.y0, ++around.y1;
    computing.also(in(cells_of_plane(u, cells, cells.z0 - 1)));
    for (std::int64_t z = cells.z0; z < cells.z1; ++z) {
      computing.also(in(cells_of_plane(u, around, z)));
      computing.also(out(cells_of_plane(v, cells, z)));
    }
    computing.also(in(cells_of_plane(u, cells, cells.z1)));
  }

  void exchange(field& u, part& one) {
    const int peer = one.of.peer;
    if (one.of.contiguous()) {
      rt_->recv(one.receiving, out(cells_of_plane(u, one.ghost, one.ghost.z0)), peer,
                one.receive_tag());
      rt_->send(one.sending, in(cells_of_plane(u, one.edge, one.edge.z0)), peer, one.send_tag());
      return;
    }
    rt_->recv(one.receiving, out(one.incoming), peer, one.receive_tag());
    {
      auto packing = rt_->task(
          "pack",
          [](const field* source, const box& from, std::vector<double>& buffer) {
            pack(*source, from, buffer);
          },
          &u, one.edge, out(one.outgoing));
      packing.priority(plait::high);
      for (std::int64_t z = one.edge.z0; z < one.edge.z1; ++z) {
        packing.also(in(cells_of_plane(u, one.edge, z)));
      }
    }
    rt_->send(one.sending, in(one.outgoing), peer, one.send_tag());
  }

  void unpack_ghosts(field& u, part& one) {
    auto unpacking = rt_->task(
        "unpack",
        [](field* target, const box& to, const std::vector<double>& buffer) {
          unpack(*target, to, buffer);
        },
        &u, one.ghost, in(one.incoming));
    unpacking.priority(plait::high);
    for (std::int64_t z = one.ghost.z0; z < one.ghost.z1; ++z) {
      unpacking.also(out(cells_of_plane(u, one.ghost, z)));
    }
  }

  plait::environment& env_;
  const options options_;
  std::vector<part> parts_;
  std::vector<piece> interior_;
  std::vector<piece> rim_;
  std::optional<plait::runtime> rt_;
  step_times times_;
  run_report report_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<tasks>(env, chosen);
}

}  // namespace jacobi3d
