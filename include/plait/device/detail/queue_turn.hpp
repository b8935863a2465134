// SPDX-License-Identifier: BSD-3-Clause
/// The turn of one task in a queue of a device: it waits there, on the device, for what other
/// queues have to do first.
#pragma once

#include <plait/core/cxx20.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>

namespace plait::detail {

/// Says where the commands of a task go; an argument of the task, in whose place its function gets
/// a queue.
struct on_device {
  device_state* where = nullptr;
  device_queue which = device_queue::compute;
};

/// Waits for a device: called once, when the device has come so far.
class awaited {
 public:
  virtual ~awaited() = default;
  /// `why`: the device has failed before; else null.  Any thread; does not block.
  virtual void ended(const std::exception_ptr& why) noexcept = 0;
};

/// Holds what a kind of device keeps while a task's function enqueues.
class open_turn {
 public:
  virtual ~open_turn() = default;
};

/// Holds the number of a task's turn, for a task that waits for its end.
using noted_place = std::shared_ptr<std::atomic<std::uint64_t>>;

struct ended_turn {
  std::uint64_t number;  ///< in its queue
  bool is_full;          ///< the queue has no room for more
};

class queue_turn {
 public:
  /// `name` stays in place.
  queue_turn(const on_device& where, const char* name) noexcept : where_(where), name_(name) {}
  /// Ends the turn if it has begun.
  ~queue_turn();
  queue_turn(const queue_turn&) = delete;
  queue_turn& operator=(const queue_turn&) = delete;

  template <class T>
  void touches(const device_span<T>& part) {
    touched_.push_back({&part.memory(), part.offset_bytes(),
                        part.offset_bytes() + part.size_bytes(), !std::is_const_v<T>});
  }

  /// Has the queue wait for what other queues do with what the task touches.  Errors: `error` when
  /// the device has failed; usage_error for memory of another device.
  void begin();
  [[nodiscard]] queue to() const noexcept { return {*where_.where, where_.which, name_}; }
  ended_turn end();
  /// Ends the turn of a function that has thrown.  Errors: why the device has failed, if it has: a
  /// driver then refuses whatever the function asks, and the function knows no more than that.
  void give_up();

 private:
  friend class device_state;
  struct touched {
    const device_memory* memory;
    std::size_t begin;
    std::size_t end;
    bool writes;
  };

  on_device where_;
  const char* name_;
  std::vector<touched> touched_;
  bool has_begun_ = false;
  std::unique_ptr<open_turn> begun_;  ///< may be null
};

}  // namespace plait::detail
