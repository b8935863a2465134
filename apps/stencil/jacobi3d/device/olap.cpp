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
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <span>
#include <thread>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <sys/prctl.h>

#include "device/row.hpp"
#include "device/rows.hpp"
#include "measure/base/mpi_check.hpp"

namespace jacobi3d {
namespace {

using plait::activity;
using plait::device_queue;
using plait::by_hand::mark;
using plait::measure::check_mpi;

// With nothing to do the host lets others have its core: as long as a small part of a message
// takes.
constexpr std::chrono::microseconds between_looks{20};

/// Lets the thread sleep no longer than it asks for: the usual 50 us more would be a look's delay.
class brief_naps {
 public:
  brief_naps() { ::prctl(PR_SET_TIMERSLACK, 1UL); }
  ~brief_naps() { ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_)); }
  brief_naps(const brief_naps&) = delete;
  brief_naps& operator=(const brief_naps&) = delete;

 private:
  int before_ = ::prctl(PR_GET_TIMERSLACK);
};

/// Of two steps that follow each other.
template <class T>
class in_turns {
 public:
  T& operator[](int step) noexcept { return both_[static_cast<std::size_t>(step & 1)]; }

 private:
  std::array<T, 2> both_{};
};

/// Part of a face, with memory of the host for what leaves and for what arrives.
struct face_part {
  std::size_t plane = 0;  ///< of the rim
  std::size_t rows = 0;   ///< which of its parts
  int peer = 0;
  int receive_tag = 0;
  int send_tag = 0;
  box edge, ghost;
  in_turns<std::span<double>> arriving = {}, leaving = {};
  in_turns<plait::ticks> receive_posted = {}, send_posted = {};
  in_turns<mark> ghost_copied = {}, edge_copied = {};
  in_turns<int> sent = {};  ///< the steps of what leaves
  int received = 0;         ///< steps whose ghosts are there or are being copied
};

/// A part of a face and a step, for which something is to be done.
struct due {
  std::size_t part;
  int step;
};

class olap_row final : public row_by_hand {
 public:
  olap_row(MPI_Comm communicator, const device_options& how)
      : row_by_hand(setting::distributed, how), communicator_(communicator) {}

 private:
  // What a run needs ----------------------------------------------------------------------------

  void make() override {
    const device_block& on = block();
    for (std::size_t p = 0; p < on.rim().size(); ++p)
      for (const std::size_t f : on.rim()[p].faces) add_face(p, on.faces()[f]);
    receives_.assign(parts_.size(), MPI_REQUEST_NULL);
    sends_.assign(2 * parts_.size(), MPI_REQUEST_NULL);
    completed_.resize(sends_.size());
    for (const rim_plane& plane : on.rim()) rim_computed_.emplace_back(plane.parts.size());
  }

  void add_face(std::size_t plane, const plait::stencil::face& f) {
    const std::vector<box> edges = block().in_parts(f.edge);
    const std::vector<box> ghosts = block().in_parts(f.ghost);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      // Tags of a face's parts are those of its first one and every so many: both ends cut alike.
      const int tags = plait::stencil::face_tags * static_cast<int>(i);
      face_part& one = parts_.emplace_back();
      one.plane = plane;
      one.rows = i;
      one.peer = f.peer;
      one.receive_tag = f.receive_tag() + tags;
      one.send_tag = f.send_tag() + tags;
      one.edge = edges[i];
      one.ghost = ghosts[i];
      for (const int step : {0, 1}) {
        one.arriving[step] = pinned(block().lies().message_size(edges[i]));
        one.leaving[step] = pinned(block().lies().message_size(edges[i]));
      }
    }
  }

  [[nodiscard]] std::span<double> pinned(std::size_t size) {
    plait::pinned<double>& memory = memory_.emplace_back(block().gpu(), size);
    return {memory.data(), size};
  }

  void unmake() noexcept override {
    parts_.clear();
    memory_.clear();
    rim_computed_.clear();
    computed_near_ = {};
  }

  // A run ---------------------------------------------------------------------------------------

  void advance(int steps) override {
    const brief_naps naps;
    steps_ = steps;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      to_receive_.push_back({i, 0});
      to_copy_.push_back({i, 0});
    }
    for (step_ = 0; step_ < steps; ++step_) {
      begin(step_);
      compute_interior();
      rest_ = 0;
      for (const rim_plane& plane : block().rim()) rest_ += plane.parts.size();
      launched_.clear();
      for (const rim_plane& plane : block().rim())
        launched_.emplace_back(plane.parts.size(), false);
      launch_ready();
      while (rest_ > 0) look();
    }
    while (!to_copy_.empty() || !copying_.empty() || sending_ > 0) look();
    first_ += steps;
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

  /// Does what can be done at once.
  void look() {
    bool moved = post_receives();
    moved = take_ghosts() || moved;
    moved = copy_edges() || moved;
    moved = send_edges() || moved;
    moved = end_sends() || moved;
    watch().lap(activity::posting, "look");
    if (moved) return;
    std::this_thread::sleep_for(between_looks);
    watch().lap(activity::exposed, "wait");
  }

  // Messages ------------------------------------------------------------------------------------

  /// Posts receives into memory that has been copied to the device.
  [[nodiscard]] bool post_receives() {
    bool moved = false;
    while (!to_receive_.empty()) {
      const due next = to_receive_.front();
      face_part& part = parts_[next.part];
      if (!plait::by_hand::has_passed(block().gpu(), part.ghost_copied[next.step])) break;
      const std::span<double> to = part.arriving[next.step];
      check_mpi(MPI_Irecv(to.data(), static_cast<int>(to.size()), MPI_DOUBLE, part.peer,
                          part.receive_tag, communicator_, &receives_[next.part]),
                "MPI_Irecv");
      part.receive_posted[next.step] = plait::now_ticks();
      to_receive_.pop_front();
      moved = true;
    }
    return moved;
  }

  [[nodiscard]] std::span<const int> completed_of(std::vector<MPI_Request>& requests) {
    int count = 0;
    check_mpi(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count,
                           completed_.data(), MPI_STATUSES_IGNORE),
              "MPI_Testsome");
    if (count == MPI_UNDEFINED) count = 0;
    return {completed_.data(), static_cast<std::size_t>(count)};
  }

  /// Copies ghosts that have come to the device, and computes what needed them.
  [[nodiscard]] bool take_ghosts() {
    const std::span<const int> came = completed_of(receives_);
    for (const int one : came) {
      const auto place = static_cast<std::size_t>(one);
      face_part& part = parts_[place];
      const int step = part.received++;
      note("ghost", part, false, step);
      const plait::queue q = queue(device_queue::to_device, "ghost");
      plait::by_hand::wait(q, rim_computed_[part.plane][part.rows][step]);
      plait::by_hand::copy<double>(q, std::span<const double>(part.arriving[step]),
                                   block().lies().message(block().iterate(step), part.ghost));
      part.ghost_copied[step] = plait::by_hand::record(q);
      if (step + 1 < steps_) to_receive_.push_back({place, step + 1});
    }
    if (!came.empty()) launch_ready();
    return !came.empty();
  }

  /// Copies edges to the host, into memory that was sent.
  [[nodiscard]] bool copy_edges() {
    bool moved = false;
    while (!to_copy_.empty()) {
      const due next = to_copy_.front();
      face_part& part = parts_[next.part];
      if (send_of(next) != MPI_REQUEST_NULL) break;
      const plait::queue q = queue(device_queue::to_host, "edge");
      if (next.step > 0)
        plait::by_hand::wait(q, rim_computed_[part.plane][part.rows][next.step - 1]);
      plait::by_hand::copy<double>(
          q, block().lies().message(block().iterate(next.step), part.edge).as_const(),
          part.leaving[next.step]);
      part.edge_copied[next.step] = plait::by_hand::record(q);
      copying_.push_back(next);
      to_copy_.pop_front();
      moved = true;
    }
    return moved;
  }

  [[nodiscard]] bool send_edges() {
    bool moved = false;
    while (!copying_.empty()) {
      const due next = copying_.front();
      face_part& part = parts_[next.part];
      if (!plait::by_hand::has_passed(block().gpu(), part.edge_copied[next.step])) break;
      const std::span<const double> from = part.leaving[next.step];
      check_mpi(MPI_Isend(from.data(), static_cast<int>(from.size()), MPI_DOUBLE, part.peer,
                          part.send_tag, communicator_, &send_of(next)),
                "MPI_Isend");
      part.send_posted[next.step] = plait::now_ticks();
      part.sent[next.step] = next.step;
      copying_.pop_front();
      ++sending_;
      moved = true;
    }
    return moved;
  }

  [[nodiscard]] bool end_sends() {
    const std::span<const int> ended = completed_of(sends_);
    for (const int one : ended) {
      face_part& part = parts_[static_cast<std::size_t>(one / 2)];
      note("edge", part, true, part.sent[one % 2]);
    }
    sending_ -= ended.size();
    return !ended.empty();
  }

  [[nodiscard]] MPI_Request& send_of(const due& one) {
    return sends_[2 * one.part + static_cast<std::size_t>(one.step & 1)];
  }

  void note(const char* name, face_part& part, bool sent, int step) {
    if (!watch().recording()) return;
    watch().add_message(name,
                        {.sent = sent,
                         .peer = part.peer,
                         .tag = sent ? part.send_tag : part.receive_tag,
                         .place = static_cast<std::uint64_t>(first_ + step),
                         .size_bytes = part.arriving[step].size_bytes()},
                        sent ? part.send_posted[step] : part.receive_posted[step],
                        plait::now_ticks());
  }

  // The rim -------------------------------------------------------------------------------------

  void launch_ready() {
    for (std::size_t p = 0; p < launched_.size(); ++p)
      for (std::size_t i = 0; i < launched_[p].size(); ++i)
        if (!launched_[p][i] && has_ghosts(p, i)) launch(p, i);
  }

  [[nodiscard]] bool has_ghosts(std::size_t plane, std::size_t rows) const {
    for (const face_part& part : parts_)
      if (part.plane == plane && part.rows == rows && part.received <= step_) return false;
    return true;
  }

  void launch(std::size_t plane, std::size_t rows) {
    const plait::queue q = queue(device_queue::urgent, "rim");
    if (step_ > 0) plait::by_hand::wait(q, computed_near_[step_ - 1]);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      face_part& part = parts_[i];
      if (part.plane != plane || part.rows != rows) continue;
      plait::by_hand::wait(q, part.ghost_copied[step_]);
      plait::by_hand::wait(q, part.edge_copied[step_ + 1]);  // of step_ - 1
      if (step_ + 1 < steps_) to_copy_.push_back({i, step_ + 1});
    }
    relax(q, step_, block().rim()[plane].parts[rows]);
    rim_is_computed_ = rim_computed_[plane][rows][step_] = plait::by_hand::record(q);
    launched_[plane][rows] = true;
    --rest_;
  }

  MPI_Comm communicator_;
  std::vector<face_part> parts_;
  std::deque<plait::pinned<double>> memory_;
  std::vector<MPI_Request> receives_, sends_;  ///< sends: two a part
  std::vector<int> completed_;
  int steps_ = 0;
  int step_ = 0;
  int first_ = 0;  ///< steps of all runs before
  std::deque<due> to_receive_, to_copy_, copying_;
  std::size_t sending_ = 0;
  std::vector<std::vector<in_turns<mark>>> rim_computed_;  ///< by plane and part
  std::vector<std::vector<bool>> launched_;                ///< in this step
  std::size_t rest_ = 0;                                   ///< that are not
  mark rim_is_computed_ = {device_queue::urgent, 0};
  in_turns<mark> computed_near_;
};

}  // namespace

std::unique_ptr<variant> make_device_olap(plait::environment& env, const device_options& how) {
  return std::make_unique<olap_row>(plait::native(env), how);
}

}  // namespace jacobi3d
