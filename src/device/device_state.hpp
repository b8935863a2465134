// SPDX-License-Identifier: BSD-3-Clause
/// One device of this rank: the order of its queues, who waits for it, and what has failed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <plait/core/error.hpp>
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
/// the question, `moved` finds the list with the newcomer in it.
class device_state final : public std::enable_shared_from_this<device_state>, device_listener {
 public:
  /// A task that finds more turns of its queue under way is held until half of them are done.  So a
  /// chain of tasks is at most so far ahead of the device, and all tasks by as much more as the
  /// in-flight limit of tasks.
  static constexpr std::uint64_t full = 256;
  /// As many are more than full, whatever the device has done: marks are memory until they pass.
  static constexpr std::uint64_t most_marks = 8 * full;

  device_state(int index, std::string kind, std::unique_ptr<back_end> by);
  ~device_state();
  device_state(const device_state&) = delete;
  device_state& operator=(const device_state&) = delete;

  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] back_end& commands() noexcept { return *by_; }
  [[nodiscard]] device_times& times() noexcept { return times_; }

  void begin(queue_turn& turn);
  [[nodiscard]] ended_turn end(queue_turn& turn);
  /// Enqueues a mark that no turn has, and returns its number.
  [[nodiscard]] std::uint64_t mark(device_queue queue);
  void when_room(device_queue queue, std::unique_ptr<awaited> then);

  /// Calls `then` when `queue` has done the turn `number`, or at once.
  void when_done(device_queue queue, std::uint64_t number, std::unique_ptr<awaited> then);
  /// Returns whether nothing is enqueued, and nothing has failed.
  [[nodiscard]] bool is_idle();
  [[nodiscard]] bool has_failed();
  /// Errors: why the device has failed, if it has.
  void expect_no_failure();
  /// Returns what `allocate()` does.  A device that has failed gives no memory: then its failure is
  /// the error.
  [[nodiscard]] std::byte* memory_or_failure(const auto& allocate) {
    try {
      return allocate();
    } catch (const error&) {
      expect_no_failure();
      throw;
    }
  }
  /// Has one `make()` wait for each queue that is not done.  Errors: why the device has failed.
  void when_idle(const std::function<std::unique_ptr<awaited>()>& make);

  /// Returns memory of the host for a message, which comes back to a pool when nobody has it any
  /// more.
  [[nodiscard]] std::shared_ptr<std::byte> take_stage(std::size_t size_bytes);

  /// Returns when the device has done what was enqueued before.
  void drain() noexcept;
  /// Returns when it has done what was enqueued on this memory, which nothing will use any more.
  void forget(const device_memory& memory) noexcept;

  /// Says whose tasks may enqueue: one runtime's at a time.  Errors: usage_error for a second.
  void join();
  void leave() noexcept;
  /// Frees memory when the runtime that has joined leaves, or at once if none has.
  void keep(std::shared_ptr<const void> memory) noexcept;

  /// Told of each command that has run, by the thread that ran it; null: nobody.
  using observer = std::function<void(device_queue, const char* task, ticks begin, ticks end)>;
  void observe(observer told);

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
  void moved() noexcept override;
  void ran(device_queue queue, const char* task, ticks begin, ticks end) noexcept override;
  void began(device_queue queue, ticks now) noexcept override { times_.began(queue, now); }
  [[nodiscard]] bool is_observed() const noexcept override {
    return is_observed_.load(std::memory_order_acquire);
  }

  [[nodiscard]] std::uint64_t& last(device_queue queue) noexcept {
    return last_[static_cast<std::size_t>(queue)];
  }
  [[nodiscard]] bool is_full(device_queue queue);
  static void note_use(std::vector<use>& known, const use& added);
  void arm_again();
  void note_failure();

  const int index_;
  const std::string name_;
  device_times times_;
  std::mutex mutex_;
  std::unordered_map<const device_memory*, std::vector<use>> uses_;
  std::array<std::uint64_t, device_queue_count> last_{};  ///< marks of the queues
  std::vector<waiting> waiting_;
  std::exception_ptr failure_;
  observer observer_;
  std::atomic<bool> is_observed_{false};  ///< so that nobody takes the lock to ask
  std::unordered_map<std::size_t, std::vector<std::byte*>> stages_;  ///< free, by size
  bool is_joined_ = false;
  std::vector<std::shared_ptr<const void>> kept_;
  const std::unique_ptr<back_end> by_;  ///< last: its threads call the rest
};

}  // namespace plait::detail
