// SPDX-License-Identifier: BSD-3-Clause
/// A device that CUDA or HIP reaches.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/back_end.hpp"
#include "device/cuda/cuda_bell.hpp"
#include "device/cuda/cuda_clock.hpp"
#include "device/cuda/cuda_functions.hpp"

namespace plait::detail {

/// A turn is between two events of its queue's stream, by which the device says when the turn
/// began and ended.  The second is the turn's mark.
///
/// A thread asks the events.  When nothing moves it has a *signal* stream of each queue wait for
/// the event that is next and then ring: a host function would stop the queue's own stream.  It
/// sleeps 20 ms at most, for after a fault nobody may ring.
///
/// A fault is the context's: from then on each call returns it, whatever it asks.  So all turns
/// that are not known to have ended are named.
class cuda_device final : public back_end {
 public:
  /// Errors: `error` where the driver gives no context, stream or event.
  cuda_device(const cuda_functions& by, int ordinal);
  ~cuda_device() override;
  cuda_device(const cuda_device&) = delete;
  cuda_device& operator=(const cuda_device&) = delete;

  void listen(device_listener& to) override;
  [[nodiscard]] std::byte* allocate(std::size_t size_bytes) override;
  void release(std::byte* memory) noexcept override;
  [[nodiscard]] std::byte* allocate_pinned(std::size_t size_bytes) override;
  void release_pinned(std::byte* memory) noexcept override;
  void copy(queue in, void* to, const void* from, std::size_t size_bytes) override;
  void wait(device_queue queue, device_queue other, std::uint64_t number) override;
  [[nodiscard]] std::unique_ptr<open_turn> begin(queue in) override;
  std::uint64_t mark(device_queue queue, std::unique_ptr<open_turn> begun) override;
  [[nodiscard]] std::uint64_t passed(device_queue queue) const noexcept override {
    return queues_[static_cast<std::size_t>(queue)].passed.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::string failure() const override;
  void await(device_queue queue, std::uint64_t number) noexcept override;

  [[nodiscard]] bool is_hip() const noexcept { return by_.is_hip(); }
  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] cuda_stream stream(device_queue queue) const noexcept {
    return queues_[static_cast<std::size_t>(queue)].stream;
  }

 private:
  struct two_events {
    cuda_event start = nullptr;
    cuda_event end = nullptr;
  };
  /// Has the context be current in the thread of the task's function.
  struct turn final : open_turn {
    turn(const cuda_functions& by, cuda_context context, const char* name)
        : current(by, context), task(name) {}
    const current_context current;
    const char* const task;
    two_events events;
  };
  struct one_mark {
    std::uint64_t number;
    const char* task;
    two_events events;
    bool began = false;  ///< it is known that it has
    ticks begin = 0;
  };
  struct one_queue {
    cuda_stream stream = nullptr;
    cuda_stream signal = nullptr;
    std::deque<one_mark> marks;  ///< that are not passed
    std::uint64_t last = 0;
    std::uint64_t armed = 0;  ///< twice the number of a mark, and 1 for its end
    ticks end = 0;            ///< of the last mark that is passed
    std::atomic<std::uint64_t> passed{0};
  };
  struct news {
    ticks now;
    device_queue queue;
    bool is_end;
    const char* task;
    ticks begin;
  };
  enum class sight { moved, waits, idle };

  [[nodiscard]] one_queue& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }
  void make_handles();
  void release_handles() noexcept;
  [[nodiscard]] error refused(const char* task, const char* what, int code);
  [[nodiscard]] error no_memory(const std::string& what, int code);
  [[nodiscard]] two_events take_events(const char* task);
  void note_failure(int code, const char* noticed_at);

  void watch();
  [[nodiscard]] sight ask();
  [[nodiscard]] bool has_passed(cuda_event one);
  [[nodiscard]] std::size_t ask_queue(device_queue queue, std::vector<news>& told);
  void arm(one_queue& q);
  void renew_clock();
  void tell(std::vector<news>& told);
  void pass(device_queue queue, std::size_t count);
  [[nodiscard]] int end_capture(cuda_stream stream) const noexcept;
  void finish(cuda_stream stream) const noexcept;
  void settle();

  const cuda_functions& by_;
  const int ordinal_;
  int device_ = 0;
  cuda_context context_ = nullptr;
  cuda_bell& bell_;
  device_listener* listener_ = nullptr;
  std::atomic<bool> ends_{false};
  /// Of all below.  Host functions take the bell's alone, so calls may be made under it.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<one_queue, device_queue_count> queues_;
  std::vector<const turn*> open_;  ///< whose functions run
  std::vector<two_events> free_;
  cuda_clock clock_;
  std::string failure_;
  bool is_settled_ = false;  ///< after a failure: nothing runs
  std::thread watcher_;
};

}  // namespace plait::detail
