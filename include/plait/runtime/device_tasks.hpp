// SPDX-License-Identifier: BSD-3-Clause
/// Tasks that a device finishes: how a task's function becomes one that enqueues commands.  Not
/// here: copies and messages of a device's memory (runtime.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/device/detail/queue_turn.hpp>
#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/reduction.hpp>

namespace plait {

/// Has a task enqueue commands of a device.  The task's function gets a `queue` in the place of
/// this, and a `device_span` for each access of a device's memory; it enqueues kernels, waits for
/// nothing, and returns nothing.  Kernels of urgent tasks go before others.  Data of the host that
/// the task names are its own until its function returns: kernels get values of it, no references.
/// Precondition: the device exists, and is one of the runtime's.
///
///     rt.task("relax", relax, on(gpu), in(u), out(v));
[[nodiscard]] inline detail::on_device on(const device& where,
                                          priority urgency = priority::normal) {
  return {where.state().get(),
          urgency == priority::high ? device_queue::urgent : device_queue::compute};
}

namespace detail {

/// Bytes of what an access names, of a device or of the host.
template <class Byte, class Access>
[[nodiscard]] auto copied(const Access& named) noexcept {
  if constexpr (Access::is_on_device) {
    return named.stored.bytes();
  } else {
    const byte_range bytes = named.bytes();
    return std::span<Byte>(reinterpret_cast<Byte*>(bytes.begin), bytes.end - bytes.begin);
  }
}

/// True for what `in` or `out` make of a device's memory.
template <class What>
inline constexpr bool is_of_device = false;
template <class Access>
inline constexpr bool is_of_device<std::tuple<Access>> = Access::is_on_device;

/// True for accesses that no task of a device has: of a reduction, whose part would be added before
/// the kernel has run.
template <class Argument>
inline constexpr bool reduces = false;
template <class... Access>
inline constexpr bool reduces<std::tuple<Access...>> = (is_reduction<Access> || ...);
/// True for accesses of a device's memory.
template <class Argument>
inline constexpr bool is_of_devices = false;
template <class... Access>
requires(is_access<Access>&&...) inline constexpr bool is_of_devices<std::tuple<Access...>> =
    (Access::is_on_device || ...);

/// Holds the calling task until its queue has room, or has done the turn `number`.
void hold_until_room(const on_device& where);
void hold_until_done(const on_device& where, std::uint64_t number);

template <class Argument>
inline constexpr bool is_on_device = std::is_same_v<std::remove_cvref_t<Argument>, on_device>;

/// Says who is to learn of the end of a task's turn.
struct turns_end {
  noted_place number = {};    ///< a later task; may be null
  bool is_the_tasks = false;  ///< the task itself ends with its turn
};

/// Calls a function that enqueues commands, in its turn.
template <class Function>
class enqueued_call {
 public:
  enqueued_call(Function function, const char* name, turns_end end = {})
      : function_(std::move(function)), name_(name), end_(std::move(end)) {}

  /// Runs as a task, which is held while its queue is full.
  template <class... Passed>
  void operator()(Passed&&... passed) {
    static_assert((static_cast<int>(is_on_device<Passed>) + ...) == 1, "a task is on one device");
    const on_device where = first_of(passed...);
    queue_turn turn(where, name_);
    const auto touch = [&turn]<class One>(const One& one) {
      if constexpr (is_device_span<One>) turn.touches(one);
    };
    (touch(passed), ...);
    turn.begin();
    static_assert(std::is_void_v<decltype(std::invoke(function_, given(turn.to(), passed)...))>,
                  "a function that enqueues commands returns nothing");
    try {
      std::invoke(function_, given(turn.to(), passed)...);
    } catch (...) {
      turn.give_up();
      throw;
    }
    const auto [number, is_full] = turn.end();
    if (end_.number != nullptr) end_.number->store(number, std::memory_order_release);
    if (end_.is_the_tasks) {
      hold_until_done(where, number);
    } else if (is_full) {
      hold_until_room(where);
    }
  }

 private:
  template <class First, class... Rest>
  [[nodiscard]] static const on_device& first_of(const First& first, const Rest&... rest) {
    if constexpr (is_on_device<First>) {
      return first;
    } else {
      return first_of(rest...);
    }
  }
  template <class Passed>
  [[nodiscard]] static decltype(auto) given(const queue& to, Passed& passed) {
    if constexpr (is_on_device<Passed>) {
      return to;
    } else {
      return (passed);
    }
  }

  Function function_;
  const char* name_;
  turns_end end_;
};

}  // namespace detail
}  // namespace plait
