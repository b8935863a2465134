// SPDX-License-Identifier: BSD-3-Clause
/// Windows on the MPI library's own.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>
#include <plait/comm/served_window.hpp>
#include <plait/core/clock.hpp>

#include "comm/followed_requests.hpp"
#include "comm/one_sided/by_messages.hpp"
#include "comm/one_sided/rma_window.hpp"

namespace plait {

/// Data travels by MPI_Rput and MPI_Rget, whose requests are tested like those of messages.  All
/// that a rank must be told of travels in letters of `by_messages`: signals, and that a rank
/// leaves.
///
/// Of a put MPI tells only when its data has left.  That it is there only MPI_Win_flush says, which
/// blocks.  It is called
///
/// - where the library needs no help of the target (`ends_without_target`): when nothing on its way
///   to that target has still to leave.  Then it takes one latency.
/// - elsewhere: when the target's engine has answered a letter.  Then that engine is looking, and
///   looks again soon, for something has just moved there.  So the flush waits for one of its
///   looks, and never for its program, as long as the target has a proxy.
///
/// One flush tells of all puts to a target that have left.
///
/// Why a signal cannot come before its data: its letter is sent after the flush.
///
/// Memory: `most_open` puts and gets of one rank on another are with MPI at once.
///
/// A rank that leaves after a failure says so when its own operations are over.  The others end
/// what they have under way to it, before they answer, and begin no more.
class by_rma final : public one_sided_service {
 public:
  /// `comm` is this window's own.  `needs_target`: not `ends_without_target`.
  by_rma(MPI_Comm comm, std::unique_ptr<rma_window> window, std::span<std::byte> own, int flags,
         bool needs_target);

  void start(operation& op, finished_list& done) override;
  bool look(finished_list& done) override;
  void close() override { leaving_ = true; }
  void give_up(finished_list& done) override;
  void abandon(finished_list& done) override;
  void for_each(const std::function<void(const operation&)>& visit) const override;
  [[nodiscard]] bool is_quiet() const override;
  /// The others have to answer.
  [[nodiscard]] double patience_s() const noexcept override { return 10; }
  void end() override { window_->free(); }

 private:
  /// A put of which is not known that it is there.
  struct open_put {
    operation* op = nullptr;  ///< null when it has completed early, or was given up
    std::shared_ptr<put_landing> landing = nullptr;
    by_messages::notice signal = {};
  };
  /// The purpose of a request of MPI's.
  struct purpose {
    int target = 0;
    operation* get = nullptr;  ///< null: a put
    open_put put = {};
  };

  /// This rank's puts to one target, and gets from it.
  struct way_out {
    std::size_t open = 0;             ///< those with MPI
    std::size_t leaving = 0;          ///< puts whose data has not left
    std::vector<open_put> left = {};  ///< puts whose data has
    ticks left_since = 0;             ///< the first of them
    std::deque<operation*> waiting = {};
    std::shared_ptr<put_landing> knock = nullptr;     ///< asks whether the target looks
    std::shared_ptr<put_landing> farewell = nullptr;  ///< says that this rank leaves
    bool gone = false;                                ///< it takes no more

    [[nodiscard]] bool has_room() const noexcept { return !gone && open < most_open; }
  };

  [[nodiscard]] way_out& way_to(int rank) noexcept { return ways_[static_cast<std::size_t>(rank)]; }
  void begin(operation& op, finished_list& done);
  void begin_what_waits(finished_list& done);
  void request_over(purpose& what, finished_list& done);
  [[nodiscard]] bool flush_what_left(finished_list& done);
  [[nodiscard]] bool may_flush(int target, way_out& way);
  void is_there(int target, const open_put& put, finished_list& done);
  void one_leaves(int rank);
  void say_farewell();
  [[nodiscard]] bool nothing_under_way() const noexcept {
    return requests_.empty() && have_left_ == 0;
  }
  static void complete(operation* op, finished_list& done);
  static void give_up(open_put& put, finished_list& done);

  static constexpr std::size_t most_open = 1024;
  /// The longest time for which a put that has left waits for others that leave, before their
  /// target is flushed.
  static constexpr double longest_wait_s = 1e-3;

  by_messages messages_;
  std::unique_ptr<rma_window> window_;
  const bool needs_target_;
  int rank_ = 0;
  bool given_up_ = false;
  bool leaving_ = false;
  std::vector<way_out> ways_;  ///< by target
  std::size_t have_left_ = 0;  ///< puts, to all targets
  std::size_t waiting_ = 0;    ///< operations, on all targets
  followed_requests<purpose> requests_;
};

}  // namespace plait
