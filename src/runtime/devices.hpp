// SPDX-License-Identifier: BSD-3-Clause
/// The devices of a runtime: how its workers look after them, its waits include them, and their
/// memory is copied and sent.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include <plait/comm/communicator.hpp>
#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>
#include <plait/task/progress_source.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

class scheduler;
struct operation;
struct runtime_state;

/// Returns the devices that the environment variable PLAIT_DEVICE asks for, or else `option`.
/// Errors: usage_error for a text that is not understood.
[[nodiscard]] std::vector<device> devices_of(const std::vector<device>& option);

/// Workers and the proxy come by only where a task waits for room in a queue: all else the device's
/// own threads tell, by releasing holds.
class joined_devices final : public progress_source {
 public:
  /// `in_flight_until`: how long messages have been in flight by a time; any thread.
  joined_devices(std::vector<device> all, scheduler& tasks,
                 const std::function<ticks(ticks)>& in_flight_until);
  ~joined_devices() override;
  joined_devices(const joined_devices&) = delete;
  joined_devices& operator=(const joined_devices&) = delete;

  [[nodiscard]] const std::vector<device>& all() const noexcept { return all_; }
  /// Returns when tasks and devices have finished.  Errors: those of both; then the devices do
  /// nothing any more.
  void wait();
  /// Waits at the end of a runtime; leaves errors to the scheduler's end.
  void finish() noexcept;

  /// `told(device, queue, task, begin, end)` of each command, by one thread at a time of each
  /// device; null: of none.
  using observer = std::function<void(const device&, device_queue, const char*, ticks, ticks)>;
  void observe(const observer& told);

  bool poll(bool again) override;
  [[nodiscard]] ticks idle_wait(ticks) override { return due_at() == never ? never : 0; }
  [[nodiscard]] bool needs_idle_workers() const noexcept override { return false; }
  [[nodiscard]] ticks in_flight_until(ticks) const override { return 0; }
  [[nodiscard]] bool cancel() override { return true; }
  [[nodiscard]] ticks due_at() const noexcept override {
    return called_.load(std::memory_order_seq_cst) ? 0 : never;
  }
  void passed(ticks) noexcept override {}

 private:
  const std::vector<device> all_;
  scheduler& tasks_;
  const int exceptions_at_start_ = std::uncaught_exceptions();
  bool has_thrown_ = false;          ///< the program knows of a failure
  std::atomic<bool> called_{false};  ///< a queue has room for a task that waits for it
};

/// Copies; two tasks each, the second of which is finished when the copy is.  Errors: usage_error
/// for different sizes.
void submit_copy(scheduler& tasks, task_name name, device_span<const std::byte> from,
                 std::span<std::byte> to);
void submit_copy(scheduler& tasks, task_name name, std::span<const std::byte> from,
                 device_span<std::byte> to);
void submit_copy(scheduler& tasks, task_name name, device_span<const std::byte> from,
                 device_span<std::byte> to);

/// Messages of a device's memory, by way of the host's.
void submit_send(runtime_state& s, task_name name, const operation& message,
                 device_span<const std::byte> from, const communicator& among);
void submit_receive(runtime_state& s, task_name name, const operation& message,
                    device_span<std::byte> to, const communicator& among);

}  // namespace plait
