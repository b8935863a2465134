// SPDX-License-Identifier: BSD-3-Clause
/// Commands of an emulated device in the order that a program gives them by hand: queues, copies,
/// marks and waits, without tasks, as a program that plait is held against is written.  Not here:
/// kernels, `emulated::launch(queue_of(gpu, …), …)`, and real devices, whose own interfaces do
/// this.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>
#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>

/// Any thread may call.  No runtime uses the device meanwhile.
namespace plait::by_hand {

/// A place in a queue, as an event of CUDA or OpenCL is.  What is left out was passed at the start.
struct mark {
  device_queue of = device_queue::compute;
  std::uint64_t number = 0;
};

/// Returns a queue for commands of this name, which stays in place.  Precondition: an emulated
/// device.
[[nodiscard]] queue queue_of(const device& where, device_queue which, const char* name);

void copy_bytes(queue in, void* to, const void* from, std::size_t size_bytes);
/// Enqueues a copy to the host, or to the device.  Both memories stay until it is done.
/// Precondition: as many elements here as there.
template <class T>
void copy(queue in, device_span<const T> from, std::span<T> to) {
  PLAIT_EXPECTS(from.size() == to.size(), "a copy fills its target");
  copy_bytes(in, to.data(), from.data(), to.size_bytes());
}
template <class T>
void copy(queue in, std::span<const T> from, device_span<T> to) {
  PLAIT_EXPECTS(from.size() == to.size(), "a copy fills its target");
  copy_bytes(in, to.data(), from.data(), to.size_bytes());
}

/// Enqueues a mark behind what is in the queue.
[[nodiscard]] mark record(queue in);
/// Has later commands of the queue wait, on the device, until it has passed the mark.
void wait(queue in, const mark& until);
/// Returns whether the device has passed the mark.  Errors: `error` when the device has failed.
[[nodiscard]] bool has_passed(const device& where, const mark& until);
/// Returns when the device has passed the mark.  Errors: as `has_passed`.  Blocks.
void await(const device& where, const mark& until);

/// Returns where the time of the device went, since it was made or the last `reset_ledger`.
/// Messages are not known: `starved_s` is that of copies.
[[nodiscard]] device_ledger ledger(const device& where);
void reset_ledger(const device& where);
/// Has `told(queue, name, begin, end)` called for each command that has run, by the thread that ran
/// it; null: nobody is told any more, once this returns.
void observe(const device& where,
             std::function<void(device_queue, const char* name, ticks begin, ticks end)> told);

}  // namespace plait::by_hand
