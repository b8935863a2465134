// SPDX-License-Identifier: BSD-3-Clause
/// One device of this rank: the order of its queues, who waits for it, and what has failed.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <plait/device/detail/queue_turn.hpp>
#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>

#include "device/back_end.hpp"
#include "device/device_times.hpp"

namespace plait::detail {

/// Any thread.
///
/// Why queues do not wait for each other in a circle: a turn waits for marks that are enqueued
/// before it, so each wait is for something earlier in one order of all commands.
///
/// Why nobody misses a mark: whoever waits asks `passed` and joins the list under `mutex_`.  The
/// back end counts the mark and then calls `moved`, which takes `mutex_`.  If the count came after
/// the question, `moved` finds the list with the newcomer in it.  The same holds for a task that is
/// parked: `park` asks for room under the lock, and wakes a worker itself if there is some.
class device_state final : public std::enable_shared_from_this<device_state>, device_listener {
 public:
  /// Most turns of a queue that are enqueued and not done.  What is enqueued cannot be overtaken,
  /// and memory for commands is bounded by it.
  static constexpr std::uint64_t most_enqueued = 64;

  device_state(int index, std::string kind, std::unique_ptr<back_end> by);
  ~device_state();
  device_state(const device_state&) = delete;
  device_state& operator=(const device_state&) = delete;

  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] back_end& commands() noexcept { return *by_; }
  [[nodiscard]] device_times& times() noexcept { return times_; }

  void begin(const queue_turn& turn);
  std::uint64_t end(const queue_turn& turn);
  [[nodiscard]] bool has_room(device_queue queue);
  void park(device_queue queue, std::unique_ptr<parked_launch> launch);
  /// Runs the tasks that are parked where there is room.  Returns whether there was one.
  bool launch_parked();

  /// Calls `then` when `queue` has done the turn `number`, or at once.
  void when_done(device_queue queue, std::uint64_t number, std::unique_ptr<awaited> then);
  /// Has one `make()` wait for each queue that is not done.  Errors: why the device has failed.
  void when_idle(const std::function<std::unique_ptr<awaited>()>& make);

  /// Returns memory of the host for a message, which comes back to a pool when nobody has it any
  /// more.
  [[nodiscard]] std::shared_ptr<std::byte> take_stage(std::size_t size_bytes);

  /// Returns when the device does nothing any more.
  void drain() noexcept { by_->drain(); }
  /// Frees memory that nothing uses any more.
  void forget(const device_memory& memory) noexcept;

  /// Told of each command that has run, by the thread that ran it; null: nobody.
  using observer = std::function<void(device_queue, const char* task, ticks begin, ticks end)>;
  void observe(observer told);

  /// `wake` has somebody call `launch_parked` soon; called from any thread until it is replaced.
  void set_wake(std::function<void()> wake);

 private:
  struct use {
    std::size_t begin;
    std::size_t end;
    device_queue queue;
    std::uint64_t number;
    bool wrote;
  };
  struct waiting {
    device_queue queue;
    std::uint64_t number;
    std::unique_ptr<awaited> then;
  };
  struct enqueued_turns {
    std::uint64_t last = 0;  ///< number of the last mark
    std::deque<std::unique_ptr<parked_launch>> parked;
  };

  void moved() noexcept override;
  void ran(device_queue queue, const char* task, ticks begin, ticks end) noexcept override;
  void began(device_queue queue, ticks now) noexcept override { times_.began(queue, now); }

  [[nodiscard]] enqueued_turns& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }
  [[nodiscard]] bool has_room_now(device_queue queue) noexcept;
  [[nodiscard]] bool could_launch_now() noexcept;
  void note_failure();
  void wake() noexcept;

  const int index_;
  const std::string name_;
  device_times times_;
  std::mutex mutex_;
  std::unordered_map<const device_memory*, std::vector<use>> uses_;
  std::array<enqueued_turns, device_queue_count> queues_;
  std::vector<waiting> waiting_;
  std::exception_ptr failure_;
  observer observer_;
  std::unordered_map<std::size_t, std::vector<std::byte*>> stages_;  ///< free, by size
  std::mutex wake_mutex_;
  std::function<void()> wake_;
  const std::unique_ptr<back_end> by_;  ///< last: its threads call the rest
};

}  // namespace plait::detail
