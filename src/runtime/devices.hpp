// SPDX-License-Identifier: BSD-3-Clause
/// The devices of a runtime: how its workers look after them, and its waits include them.
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>

namespace plait {

class environment;
class scheduler;

/// Devices that the environment variable PLAIT_DEVICE asks for, or else the option.  Where they are
/// refused, that is thrown once they are taken: the ranks agree on something in between.
class found_devices {
 public:
  found_devices(const std::vector<device>& option, const environment& env);

  /// Returns what copies of the first one take; without devices, of a usual one.
  [[nodiscard]] copy_cost bus() const noexcept;
  /// Errors: usage_error for a text of PLAIT_DEVICE that is not understood.
  [[nodiscard]] std::vector<device> take();

 private:
  std::vector<device> all_;
  std::exception_ptr refused_;
};

/// Nobody polls for a device: its own threads say how far it is, by releasing holds.
class joined_devices {
 public:
  /// `in_flight_until`: how long messages have been in flight by a time; any thread.  Errors:
  /// usage_error for a device of another runtime.
  joined_devices(std::vector<device> all, scheduler& tasks,
                 const std::function<ticks(ticks)>& in_flight_until);
  ~joined_devices();
  joined_devices(const joined_devices&) = delete;
  joined_devices& operator=(const joined_devices&) = delete;

  [[nodiscard]] const std::vector<device>& all() const noexcept { return all_; }
  /// Returns when tasks and devices have finished.  Errors: those of both.
  void wait();
  /// Returns when devices have done what was enqueued.  Before a failure is rethrown.
  void settle() noexcept;
  /// Waits at the end of a runtime; leaves errors that nobody has seen to the scheduler's end.
  void finish() noexcept;

  /// `told(device, queue, task, begin, end)` of each command, by one thread at a time of each
  /// device; null: of none.  Returns when nobody is told any more of what was told before.
  using observer = std::function<void(const device&, device_queue, const char*, ticks, ticks)>;
  void observe(const observer& told);

 private:
  const std::vector<device> all_;
  scheduler& tasks_;
  const int exceptions_at_start_ = std::uncaught_exceptions();
  bool failure_was_told_ = false;  ///< of a device, which takes no more
};

}  // namespace plait
