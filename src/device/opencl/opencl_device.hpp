// SPDX-License-Identifier: BSD-3-Clause
/// A device that OpenCL reaches.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <plait/core/error.hpp>

#include "device/back_end.hpp"
#include "device/opencl/opencl_functions.hpp"
#include "device/opencl/opencl_inbox.hpp"

namespace plait::detail {

/// Returns "clCreateContext returned -2 (CL_DEVICE_NOT_AVAILABLE)".
[[nodiscard]] std::string failed_call(const char* function, std::int32_t code);

/// Its thread sleeps while nobody waits, reads what callbacks have to say, and asks the marks
/// themselves every 20 ms, for after a failure a driver may call nobody.  Which commands have a
/// callback says opencl_inbox.hpp.
///
/// A mark is the end of the last command before it, or a marker where the program has OpenCL's
/// queue and may have enqueued behind that.  It is passed when it is complete and so are the
/// commands before it, each by its own status: the standard does not say that a marker fails with
/// what is before it, and callbacks of different events come in any order.
class opencl_device final : public back_end {
 public:
  /// Errors: `error` where the driver gives no context or no queue.
  opencl_device(const opencl_functions& cl, cl_device_id id);
  ~opencl_device() override;
  opencl_device(const opencl_device&) = delete;
  opencl_device& operator=(const opencl_device&) = delete;

  void listen(device_listener& to) override;
  [[nodiscard]] std::byte* allocate(std::size_t size_bytes) override;
  void release(std::byte* memory) noexcept override;
  [[nodiscard]] std::byte* allocate_pinned(std::size_t size_bytes) override;
  void release_pinned(std::byte* memory) noexcept override;
  void copy(queue in, void* to, const void* from, std::size_t size_bytes) override;
  void wait(device_queue queue, device_queue other, std::uint64_t number) override;
  std::uint64_t mark(device_queue queue, std::unique_ptr<open_turn> begun) override;
  [[nodiscard]] std::uint64_t passed(device_queue queue) const noexcept override {
    return queues_[static_cast<std::size_t>(queue)].passed.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool has_done(device_queue queue, std::uint64_t number) override;
  void arm(device_queue queue, std::uint64_t number) override;
  [[nodiscard]] std::string failure() const override;
  void await(device_queue queue, std::uint64_t number) noexcept override;

  /// Enqueues by `call`, which puts the command's event into its argument; nothing after a failure.
  /// Under the lock, so that nothing is enqueued after `settle`.  Errors: `error` that names the
  /// task and the function.
  template <class Call>
  void enqueue(const queue& in, const char* function, const Call& call) {
    std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    cl_event done = nullptr;
    if (const std::int32_t code = call(&done); code != 0)
      throw error(std::string("task '") + in.task() + "': " + failed_call(function, code));
    watch(in.which(), done, in.task());
  }
  /// Returns the queue for the program, which enqueues there what it likes from now on.
  [[nodiscard]] cl_command_queue given(device_queue queue);
  /// Counts a command that the program has enqueued itself.
  void note(const queue& in, cl_event done);

  /// Returns how often memory has been released: an address may be another memory's after one.
  [[nodiscard]] std::uint64_t releases() const noexcept {
    return releases_.load(std::memory_order_acquire);
  }
  [[nodiscard]] const opencl_functions& functions() const noexcept { return cl_; }
  [[nodiscard]] cl_context context() const noexcept { return context_; }
  [[nodiscard]] cl_device_id id() const noexcept { return id_; }
  [[nodiscard]] cl_command_queue handle(device_queue queue) const noexcept {
    return queues_[static_cast<std::size_t>(queue)].handle;
  }

 private:
  struct command {
    cl_event done;
    const char* task;       ///< null: a marker
    bool is_asked = false;  ///< for its callback
  };
  struct one_mark {
    std::uint64_t number;
    std::uint64_t commands;  ///< of the queue up to it
    command last;
    std::vector<command> before;  ///< since the mark before it
  };
  struct one_queue {
    cl_command_queue handle = nullptr;
    bool is_given = false;       ///< the program has it too
    bool waits = false;          ///< the next command waits for another queue
    std::vector<command> open;   ///< since the last mark
    std::deque<one_mark> marks;  ///< that are not passed, of numbers without a gap
    std::uint64_t commands = 0;
    std::uint64_t last = 0;
    std::atomic<std::uint64_t> passed{0};

    /// Returns null for one that is passed, or that a failure has kept from being made.
    [[nodiscard]] one_mark* mark(std::uint64_t number) noexcept {
      if (marks.empty() || number < marks.front().number) return nullptr;
      const std::uint64_t place = number - marks.front().number;
      return place < marks.size() ? &marks[place] : nullptr;
    }
    /// Returns the last command, of number `commands`; null for one that is passed.
    [[nodiscard]] command* newest() noexcept {
      if (!open.empty()) return &open.back();
      return marks.empty() ? nullptr : &marks.back().last;
    }
  };
  /// Memory of the device, and a buffer that is the same memory: copies from and to the host are
  /// those of buffers, which all drivers do alike.
  struct allocation {
    std::size_t size_bytes;
    cl_mem buffer;
  };
  struct place {
    cl_mem buffer = nullptr;  ///< null: memory of the host
    std::size_t offset = 0;
  };

  [[nodiscard]] one_queue& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }
  [[nodiscard]] place place_of(const void* memory) const;
  void watch(device_queue queue, cl_event done, const char* task);
  [[nodiscard]] bool add_marker(device_queue queue);
  void ask_end(device_queue queue, command& of, std::uint64_t number);
  void ask_newest_end(device_queue queue);
  void arm_locked(device_queue queue, std::uint64_t number);
  void finish_queues() noexcept;
  void release_handles() noexcept;

  void read_inbox();
  void tell(const std::vector<opencl_news>& read);
  void look();
  void ask(const opencl_inbox::waking& why);
  void pass_marks(one_queue& q, std::uint64_t told, std::vector<cl_event>& over);
  [[nodiscard]] bool is_over(const one_mark& mark);
  void note_failure(std::int32_t status, const char* task);
  void settle();

  const opencl_functions& cl_;
  const cl_device_id id_;
  cl_context context_ = nullptr;
  device_listener* listener_ = nullptr;
  const std::shared_ptr<opencl_inbox> inbox_ = std::make_shared<opencl_inbox>();
  /// Of all below.  Callbacks take the inbox's alone, so calls of OpenCL may be made under it.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<one_queue, device_queue_count> queues_;
  std::map<const std::byte*, allocation> memory_;
  std::atomic<std::uint64_t> releases_{0};
  std::atomic<int> waiting_{0};  ///< marks that are not passed
  std::string failure_;          ///< of the first command that failed
  bool is_cause_ = false;        ///< and not of what waited for it
  bool is_settled_ = false;      ///< after a failure: nothing runs
  std::thread reader_;
};

}  // namespace plait::detail
