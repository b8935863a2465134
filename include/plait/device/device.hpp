// SPDX-License-Identifier: BSD-3-Clause
/// Names a device of this rank, and the queues in which its commands run.  Not here: memory there
/// (device_array.hpp), and tasks that enqueue commands (plait/runtime/device_tasks.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace plait {

namespace detail {
class device_state;
}

/// The queues of a device.  Each runs its commands in order; two queues run beside each other where
/// the device can.
enum class device_queue : std::uint8_t {
  compute,
  urgent,  ///< kernels that go before those of `compute`
  to_host,
  to_device,
};
inline constexpr std::size_t device_queue_count = 4;

[[nodiscard]] constexpr const char* to_string(device_queue which) noexcept {
  constexpr const char* names[] = {"compute", "urgent", "to host", "to device"};
  return names[static_cast<std::size_t>(which)];
}

/// Seconds of a device.  kernels + starved + idle = wall.
struct device_ledger {
  double kernels_s = 0;    ///< a kernel runs, or a copy within the device
  double starved_s = 0;    ///< none does, while a message or a copy is under way: exposed time
  double idle_s = 0;       ///< none does, and nothing is under way
  double to_host_s = 0;    ///< copies to the host, beside the three
  double to_device_s = 0;  ///< copies to the device
  double wall_s = 0;
};

/// Cost of a copy between a device and the host: a latency, and a time for each byte.
struct copy_cost {
  double latency_s = 0;
  double per_byte_s = 0;
};

/// Cost of a copy where nobody knows better: as on half of PCI Express 4 with 16 lanes.
inline constexpr copy_cost usual_bus{.latency_s = 1e-5, .per_byte_s = 1 / 1.2e10};

/// A device, or none.  Copies name the same one.  Local to the process.
class device {
 public:
  device() noexcept = default;
  explicit device(std::shared_ptr<detail::device_state> state) noexcept
      : state_(std::move(state)) {}

  [[nodiscard]] bool exists() const noexcept { return state_ != nullptr; }
  /// Returns its number among the rank's devices.  Precondition of this and what follows: it
  /// exists.
  [[nodiscard]] int index() const;
  /// Returns its kind and number, "emulated device 0".
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::shared_ptr<detail::device_state>& state() const;

  friend bool operator==(const device&, const device&) = default;

 private:
  std::shared_ptr<detail::device_state> state_;
};

/// A queue of a device, as a task's function gets it for the time of its call.
class queue {
 public:
  queue(detail::device_state& of, device_queue which, const char* task) noexcept
      : of_(&of), which_(which), task_(task) {}

  [[nodiscard]] device_queue which() const noexcept { return which_; }
  /// Returns the name of the task.
  [[nodiscard]] const char* task() const noexcept { return task_; }
  [[nodiscard]] detail::device_state& device() const noexcept { return *of_; }

 private:
  detail::device_state* of_;
  device_queue which_;
  const char* task_;
};

}  // namespace plait
