// SPDX-License-Identifier: BSD-3-Clause
/// Tasks that a device finishes: how a task's function becomes one that enqueues commands.  Not
/// here: copies and messages of a device's memory (runtime.hpp).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/device/detail/queue_turn.hpp>
#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/hold.hpp>

namespace plait {

/// Has a task enqueue commands of a device.  The task's function gets a `queue` in the place of
/// this, and a `device_span` for each access of a device's memory; it enqueues kernels, waits for
/// nothing, and returns nothing.  Kernels of urgent tasks go before others.  The device lives until
/// the tasks are finished.
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

template <class Argument>
inline constexpr bool is_on_device = std::is_same_v<std::remove_cvref_t<Argument>, on_device>;

/// Calls a function that enqueues commands, in its turn.
template <class Function>
class enqueued_call {
 public:
  enqueued_call(Function function, const char* name, noted_place end = {})
      : function_(std::move(function)), name_(name), end_(std::move(end)) {}

  /// Runs as a task.  Where the queue is full the task is held, and a worker comes back to it.
  template <class... Passed>
  void operator()(Passed&&... passed) {
    static_assert((is_on_device<Passed> + ...) == 1, "a task is on one device");
    const on_device where = first_of(passed...);
    if (queue_turn::has_room(where)) return enqueue(where, passed...);
    queue_turn::park(where, std::make_unique<kept_call<Passed...>>(
                                *this, where, std::forward<Passed>(passed)...));
  }

 private:
  template <class... Passed>
  class kept_call final : public parked_launch {
   public:
    kept_call(const enqueued_call& what, const on_device& where, Passed... passed)
        : what_(what), where_(where), passed_(std::forward<Passed>(passed)...) {}
    void run() noexcept override {
      try {
        std::apply([this](auto&... one) { what_.enqueue(where_, one...); }, passed_);
        until_.release();
      } catch (...) {
        until_.fail(std::current_exception());
      }
    }

   private:
    enqueued_call what_;
    on_device where_;
    hold until_ = hold::of_calling_task();
    std::tuple<Passed...> passed_;
  };

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

  template <class... Passed>
  void enqueue(const on_device& where, Passed&... passed) {
    queue_turn turn(where, name_);
    const auto touch = [&turn]<class One>(const One& one) {
      if constexpr (is_device_span<One>) turn.touches(one);
    };
    (touch(passed), ...);
    turn.begin();
    static_assert(std::is_void_v<decltype(std::invoke(function_, given(turn.to(), passed)...))>,
                  "a function that enqueues commands returns nothing");
    std::invoke(function_, given(turn.to(), passed)...);
    const std::uint64_t number = turn.end();
    if (end_ != nullptr) end_->store(number, std::memory_order_release);
  }

  Function function_;
  const char* name_;
  noted_place end_;
};

}  // namespace detail
}  // namespace plait
