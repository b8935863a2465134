// SPDX-License-Identifier: BSD-3-Clause
/// Declares what plait asks of a kind of device.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <plait/core/clock.hpp>
#include <plait/device/detail/queue_turn.hpp>
#include <plait/device/device.hpp>

namespace plait::detail {

/// Memory of the host, aligned as a device's is.  Errors: `error` where there is no room.
[[nodiscard]] std::byte* allocate_on_host(std::size_t size_bytes);
void release_on_host(std::byte* memory) noexcept;

/// Between two times at which a driver is asked that may have called nobody, as after a fault.
inline constexpr std::chrono::milliseconds silence{20};

/// Is told by a back end, from a thread that holds no lock of the back end.
class device_listener {
 public:
  /// A mark was passed, or the device has failed.
  virtual void moved() noexcept = 0;
  /// A kernel or a copy began; and it has run.  Or several did one after the other, with no task,
  /// where nobody observes.
  virtual void began(device_queue queue, ticks now) noexcept = 0;
  virtual void ran(device_queue queue, const char* task, ticks begin, ticks end) noexcept = 0;
  /// Returns whether somebody wants to know of each command.
  [[nodiscard]] virtual bool is_observed() const noexcept = 0;

 protected:
  ~device_listener() = default;
};

/// One device.  Any thread calls.  Commands of a queue run in the order in which they were
/// enqueued.
class back_end {
 public:
  virtual ~back_end() = default;

  virtual void listen(device_listener& to) = 0;

  /// Errors: `error` where there is no room.
  [[nodiscard]] virtual std::byte* allocate(std::size_t size_bytes) = 0;
  virtual void release(std::byte* memory) noexcept = 0;
  [[nodiscard]] virtual std::byte* allocate_pinned(std::size_t size_bytes) = 0;
  virtual void release_pinned(std::byte* memory) noexcept = 0;

  /// Returns what a copy between host and device takes.
  [[nodiscard]] virtual copy_cost bus() const noexcept { return usual_bus; }
  /// In a turn.  The queue says which way: to the host, to the device, or within the device.
  virtual void copy(queue queue, void* to, const void* from, std::size_t size_bytes) = 0;
  /// Later commands of `queue` wait until `other` has passed its mark `number`, which is enqueued.
  virtual void wait(device_queue queue, device_queue other, std::uint64_t number) = 0;
  /// The calling thread is about to enqueue a task's commands, behind the waits of its turn.  Then
  /// it calls `mark` with what this returns.  Errors: `error` when the device has failed.
  [[nodiscard]] virtual std::unique_ptr<open_turn> begin(queue) { return nullptr; }
  /// Enqueues a mark, and returns its number in the queue, from 1.
  virtual std::uint64_t mark(device_queue queue, std::unique_ptr<open_turn> begun) = 0;
  [[nodiscard]] virtual std::uint64_t passed(device_queue queue) const noexcept = 0;
  /// Returns whether the device has done what is before mark `number`, which `passed` may know
  /// later.
  [[nodiscard]] virtual bool has_done(device_queue queue, std::uint64_t number) {
    return passed(queue) >= number;
  }
  /// Somebody waits: `moved` is called, once, when `queue` has passed its mark `number` or has
  /// failed.  Who waits still then asks again.  A back end may tell of every mark unasked.
  virtual void arm(device_queue, std::uint64_t) {}

  /// Returns what was wrong with which task's command; empty while none has failed.
  [[nodiscard]] virtual std::string failure() const = 0;
  /// Returns when `queue` has passed its mark `number`, or nothing runs after a failure, which
  /// drops what was enqueued.
  virtual void await(device_queue queue, std::uint64_t number) noexcept = 0;
};

}  // namespace plait::detail
