// SPDX-License-Identifier: BSD-3-Clause
// A device that OpenCL reaches.  Its callbacks come in threads of the driver, perhaps within the
// call that asks for them, perhaps with locks of the driver: they leave a word in an inbox, and a
// thread of the device reads it.  After a failure a driver may call nobody, so that thread also
// asks where a mark has been silent for long.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/device/opencl.hpp>

#include "device/back_end.hpp"
#include "device/device_state.hpp"
#include "device/opencl/opencl_functions.hpp"

namespace plait::detail {

/// A mark that has been silent for so long is asked.
constexpr std::chrono::milliseconds silence{20};

/// What a callback has to say.
struct opencl_news {
  enum class kinds : std::uint8_t { began, ran, marked };
  kinds kind;
  device_queue queue;
  const char* task = "";
  ticks begin = 0;
  ticks now = 0;
  std::uint64_t number = 0;  ///< of a mark
  std::int32_t status = 0;   ///< below 0: it has failed
};

/// Callbacks may come late: they own it with the device.
struct opencl_inbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<opencl_news> all;

  void put(const opencl_news& one) {
    std::lock_guard lock(mutex);
    all.push_back(one);
    arrived.notify_one();
  }
  void wake() {
    std::lock_guard lock(mutex);
    arrived.notify_one();
  }
};

namespace {

/// A command whose callbacks are to come.
struct watched {
  std::shared_ptr<opencl_inbox> to;
  device_queue queue;
  const char* task;
  std::uint64_t number = 0;
  std::atomic<ticks> begin{0};
  std::atomic<int> callbacks{0};

  void called() {
    if (callbacks.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

/// One of the two callbacks comes first, and says that the command began.
void tell_begin(watched& of, ticks now) {
  ticks none = 0;
  if (of.begin.compare_exchange_strong(none, now, std::memory_order_acq_rel))
    of.to->put({.kind = opencl_news::kinds::began, .queue = of.queue, .now = now});
}

void on_running(cl_event, std::int32_t status, void* data) {
  auto& of = *static_cast<watched*>(data);
  if (status == cl_number::running) tell_begin(of, now_ticks());
  of.called();
}

void on_end(cl_event, std::int32_t status, void* data) {
  auto& of = *static_cast<watched*>(data);
  const ticks now = now_ticks();
  tell_begin(of, now);
  of.to->put({.kind = opencl_news::kinds::ran,
              .queue = of.queue,
              .task = of.task,
              .begin = of.begin.load(std::memory_order_acquire),
              .now = now,
              .status = status});
  of.called();
}

void on_mark(cl_event, std::int32_t status, void* data) {
  auto& of = *static_cast<watched*>(data);
  of.to->put({.kind = opencl_news::kinds::marked,
              .queue = of.queue,
              .number = of.number,
              .status = status});
  of.called();
}

}  // namespace

class opencl_device final : public back_end {
 public:
  /// Errors: `error` where the driver gives no context or no queue.
  opencl_device(const opencl_functions& cl, cl_device_id id) : cl_(cl), id_(id) {
    std::int32_t code = 0;
    context_ = cl_.clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code);
    if (context_ == nullptr) throw failed("clCreateContext", code);
    const bool has_priorities =
        text_of(cl_number::device_extensions).find("cl_khr_priority_hints") != std::string::npos;
    for (std::size_t q = 0; q < device_queue_count; ++q) {
      const bool urgent = static_cast<device_queue>(q) == device_queue::urgent && has_priorities;
      const std::uint64_t wanted[] = {cl_number::queue_priority, cl_number::high_priority, 0};
      queues_[q].handle =
          cl_.clCreateCommandQueueWithProperties(context_, id_, urgent ? wanted : nullptr, &code);
      if (queues_[q].handle == nullptr) {
        release_handles();
        throw failed("clCreateCommandQueueWithProperties", code);
      }
    }
  }
  ~opencl_device() override {
    finish_queues();
    {
      std::lock_guard lock(inbox_->mutex);
      ends_ = true;
    }
    inbox_->arrived.notify_one();
    if (reader_.joinable()) reader_.join();
    for (one_queue& q : queues_) {
      for (const auto& [number, event] : q.marks) cl_.clReleaseEvent(event);
    }
    release_handles();
  }
  opencl_device(const opencl_device&) = delete;
  opencl_device& operator=(const opencl_device&) = delete;

  void listen(device_listener& to) override {
    listener_ = &to;
    reader_ = std::thread([this] { read_inbox(); });
  }

  [[nodiscard]] std::byte* allocate(std::size_t size_bytes) override {
    void* const memory = cl_.clSVMAlloc(context_, cl_number::read_and_write,
                                        std::max<std::size_t>(size_bytes, 1), 0);
    if (memory == nullptr)
      throw error("an OpenCL device has no room for " + std::to_string(size_bytes) + " bytes");
    return static_cast<std::byte*>(memory);
  }
  void release(std::byte* memory) noexcept override { cl_.clSVMFree(context_, memory); }
  // OpenCL pins no memory that the host may use at any time.
  [[nodiscard]] std::byte* allocate_pinned(std::size_t size_bytes) override {
    return allocate_on_host(size_bytes);
  }
  void release_pinned(std::byte* memory) noexcept override { release_on_host(memory); }

  void copy(queue in, void* to, const void* from, std::size_t size_bytes) override {
    if (size_bytes == 0) return;
    enqueue(in, "clEnqueueSVMMemcpy", [&](cl_event* done) {
      return cl_.clEnqueueSVMMemcpy(handle(in.which()), 0, to, from, size_bytes, 0, nullptr, done);
    });
  }
  void wait(device_queue queue, device_queue other, std::uint64_t number) override {
    std::lock_guard lock(mutex_);
    const auto& marks = at(other).marks;
    const auto mark = std::ranges::find(marks, number, [](const auto& one) { return one.first; });
    if (mark == marks.end()) return;  // it is passed
    expect(cl_.clEnqueueBarrierWithWaitList(handle(queue), 1, &mark->second, nullptr),
           "clEnqueueBarrierWithWaitList");
  }
  /// The lock keeps the event until it has its callback, which takes none but the inbox's.
  std::uint64_t mark(device_queue queue) override {
    std::lock_guard lock(mutex_);
    one_queue& q = at(queue);
    const std::uint64_t number = ++q.last;
    if (!failure_.empty()) return number;
    cl_event event = nullptr;
    const std::int32_t code = cl_.clEnqueueMarkerWithWaitList(q.handle, 0, nullptr, &event);
    if (code != 0) {
      inbox_->put(
          {.kind = opencl_news::kinds::marked, .queue = queue, .number = number, .status = code});
      return number;
    }
    q.marks.emplace_back(number, event);
    if (silent_.fetch_add(1, std::memory_order_acq_rel) == 0) inbox_->wake();
    ask(event, cl_number::complete, &on_mark,
        new watched{.to = inbox_, .queue = queue, .task = "", .number = number, .callbacks = 1});
    cl_.clFlush(q.handle);
    return number;
  }
  [[nodiscard]] std::uint64_t passed(device_queue queue) const noexcept override {
    return queues_[static_cast<std::size_t>(queue)].passed.load(std::memory_order_acquire);
  }

  [[nodiscard]] std::string failure() const override {
    std::lock_guard lock(mutex_);
    return failure_;
  }
  void await(device_queue queue, std::uint64_t number) noexcept override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return passed(queue) >= number || is_settled_; });
  }

  /// Enqueues by `call(cl_event* done)`, and watches the command.  Errors: `error` that names the
  /// task.
  template <class Call>
  void enqueue(const queue& in, const char* function, const Call& call) {
    if (!failure().empty()) return;
    cl_event done = nullptr;
    if (const std::int32_t code = call(&done); code != 0)
      throw error(std::string("task '") + in.task() + "': " + failed(function, code).what());
    watch(in, done);
    cl_.clReleaseEvent(done);
  }
  void watch(const queue& in, cl_event done) {
    auto* const seen =
        new watched{.to = inbox_, .queue = in.which(), .task = in.task(), .callbacks = 2};
    ask(done, cl_number::running, &on_running, seen);
    ask(done, cl_number::complete, &on_end, seen);
  }

  [[nodiscard]] const opencl_functions& functions() const noexcept { return cl_; }
  [[nodiscard]] cl_context context() const noexcept { return context_; }
  [[nodiscard]] cl_device_id id() const noexcept { return id_; }
  [[nodiscard]] cl_command_queue handle(device_queue queue) const noexcept {
    return queues_[static_cast<std::size_t>(queue)].handle;
  }

  static error failed(const char* function, std::int32_t code) {
    return error(std::string(function) + " returned " + std::to_string(code));
  }
  static void expect(std::int32_t code, const char* function) {
    if (code != 0) throw failed(function, code);
  }

 private:
  struct one_queue {
    cl_command_queue handle = nullptr;
    std::deque<std::pair<std::uint64_t, cl_event>> marks;  ///< that are not passed
    std::uint64_t last = 0;
    std::atomic<std::uint64_t> passed{0};
  };

  [[nodiscard]] one_queue& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }
  [[nodiscard]] std::string text_of(std::uint32_t what) const {
    std::size_t size = 0;
    if (cl_.clGetDeviceInfo(id_, what, 0, nullptr, &size) != 0) return {};
    std::string text(size, '\0');
    cl_.clGetDeviceInfo(id_, what, size, text.data(), nullptr);
    return text;
  }
  void ask(cl_event of, std::int32_t when, cl_callback callback, watched* seen) {
    if (cl_.clSetEventCallback(of, when, callback, seen) != 0) seen->called();
  }
  void finish_queues() noexcept {
    for (const one_queue& q : queues_) cl_.clFinish(q.handle);
  }
  void release_handles() noexcept {
    for (const one_queue& q : queues_) {
      if (q.handle != nullptr) cl_.clReleaseCommandQueue(q.handle);
    }
    cl_.clReleaseContext(context_);
  }

  void read_inbox() {
    std::vector<opencl_news> read;
    std::unique_lock lock(inbox_->mutex);
    while (!ends_ || !inbox_->all.empty()) {
      const auto has_news = [this] { return ends_ || !inbox_->all.empty(); };
      const auto is_asleep = [this] { return silent_.load(std::memory_order_acquire) == 0; };
      if (is_asleep())
        inbox_->arrived.wait(lock, [&] { return has_news() || !is_asleep(); });
      else
        inbox_->arrived.wait_for(lock, silence, has_news);
      read.swap(inbox_->all);
      lock.unlock();
      if (read.empty()) ask_marks(read);
      take(read);
      read.clear();
      lock.lock();
    }
  }

  /// Asks the oldest mark of each queue.
  void ask_marks(std::vector<opencl_news>& found) {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < device_queue_count; ++i) {
      if (queues_[i].marks.empty()) continue;
      const auto& [number, event] = queues_[i].marks.front();
      std::int32_t status = 1;
      cl_.clGetEventInfo(event, cl_number::execution_status, sizeof status, &status, nullptr);
      if (status > 0) continue;
      found.push_back({.kind = opencl_news::kinds::marked,
                       .queue = static_cast<device_queue>(i),
                       .number = number,
                       .status = status});
    }
  }

  void take(const std::vector<opencl_news>& read) {
    bool moves = false;
    bool fails = false;
    for (const opencl_news& one : read) {
      if (one.status < 0) fails = note_failure(one) || fails;
      if (one.kind == opencl_news::kinds::began) {
        listener_->began(one.queue, one.now);
      } else if (one.kind == opencl_news::kinds::ran) {
        listener_->ran(one.queue, one.task, one.begin, one.now);
      } else if (one.status == 0) {
        pass(one.queue, one.number);
        moves = true;
      }
    }
    if (fails) {
      finish_queues();  // nothing touches memory of the program any more
      std::lock_guard lock(mutex_);
      is_settled_ = true;
    }
    if (!moves && !fails) return;
    changed_.notify_all();
    listener_->moved();
  }

  void pass(device_queue queue, std::uint64_t number) {
    std::lock_guard lock(mutex_);
    one_queue& q = at(queue);
    while (!q.marks.empty() && q.marks.front().first <= number) {
      cl_.clReleaseEvent(q.marks.front().second);
      q.marks.pop_front();
      silent_.fetch_sub(1, std::memory_order_acq_rel);
    }
    if (number > passed(queue)) q.passed.store(number, std::memory_order_release);
  }

  /// What waited for a failure has failed by it.  Returns whether it is the first.
  bool note_failure(const opencl_news& one) {
    std::lock_guard lock(mutex_);
    const bool is_first = !has_failed_;
    has_failed_ = true;
    const bool is_cause = one.status != cl_number::waited_for_failure;
    if (failure_.empty() || (is_cause && !is_cause_known_)) {
      failure_ = "error " + std::to_string(one.status);
      if (one.kind == opencl_news::kinds::ran) failure_ += std::string(" in '") + one.task + "'";
      is_cause_known_ = is_cause;
    }
    return is_first;
  }

  const opencl_functions& cl_;
  const cl_device_id id_;
  cl_context context_ = nullptr;
  device_listener* listener_ = nullptr;
  const std::shared_ptr<opencl_inbox> inbox_ = std::make_shared<opencl_inbox>();
  bool ends_ = false;  ///< under the inbox's mutex
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<one_queue, device_queue_count> queues_;
  std::atomic<int> silent_{0};  ///< marks that are not passed
  std::string failure_;         ///< of the first command that failed
  bool has_failed_ = false;
  bool is_cause_known_ = false;
  bool is_settled_ = false;  ///< after a failure: nothing runs
  std::thread reader_;
};

namespace {

[[nodiscard]] opencl_device& opencl_of(back_end& any) {
  auto* const here = dynamic_cast<opencl_device*>(&any);
  PLAIT_EXPECTS(here != nullptr, "it is of an OpenCL device");
  return *here;
}

}  // namespace

/// Has its device, whose context it is built for.
class built_kernel {
 public:
  built_kernel(const device& where, const std::string& source, const std::string& name,
               const std::string& options)
      : home_(where.state()), on_(opencl_of(home_->commands())) {
    const opencl_functions& cl = on_.functions();
    const char* text = source.c_str();
    std::int32_t code = 0;
    const cl_program program =
        cl.clCreateProgramWithSource(on_.context(), 1, &text, nullptr, &code);
    if (program == nullptr) throw opencl_device::failed("clCreateProgramWithSource", code);
    const cl_device_id id = on_.id();
    code = cl.clBuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr);
    const std::string why = code == 0 ? "" : log_of(program);
    if (code == 0) handle_ = cl.clCreateKernel(program, name.c_str(), &code);
    cl.clReleaseProgram(program);
    if (!why.empty())
      throw error("kernel '" + name + "' does not compile for " + home_->name() + ":\n" + why);
    if (handle_ == nullptr)
      throw error("kernel '" + name + "': " + opencl_device::failed("clCreateKernel", code).what());
  }
  ~built_kernel() { on_.functions().clReleaseKernel(handle_); }
  built_kernel(const built_kernel&) = delete;
  built_kernel& operator=(const built_kernel&) = delete;

  void launch(const queue& to, const std::array<std::size_t, 3>& extent,
              std::span<const opencl_argument> arguments) {
    PLAIT_EXPECTS(&to.device() == home_.get(), "the kernel is built for the queue's device");
    const opencl_functions& cl = on_.functions();
    std::lock_guard lock(mutex_);  // arguments are the kernel's until it is enqueued
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      const opencl_argument& one = arguments[i];
      const std::int32_t code = one.size_bytes == 0
                                    ? cl.clSetKernelArgSVMPointer(handle_, i, one.data)
                                    : cl.clSetKernelArg(handle_, i, one.size_bytes, one.data);
      if (code != 0)
        throw error(std::string("task '") + to.task() + "': argument " + std::to_string(i) +
                    " of the kernel: " + opencl_device::failed("clSetKernelArg", code).what());
    }
    on_.enqueue(to, "clEnqueueNDRangeKernel", [&](cl_event* done) {
      return cl.clEnqueueNDRangeKernel(on_.handle(to.which()), handle_, 3, nullptr, extent.data(),
                                       nullptr, 0, nullptr, done);
    });
  }

 private:
  [[nodiscard]] std::string log_of(cl_program program) const {
    const opencl_functions& cl = on_.functions();
    std::size_t size = 0;
    cl.clGetProgramBuildInfo(program, on_.id(), cl_number::build_log, 0, nullptr, &size);
    std::string log(size, '\0');
    cl.clGetProgramBuildInfo(program, on_.id(), cl_number::build_log, size, log.data(), nullptr);
    log = log.substr(0, log.find('\0'));
    return log.empty() ? "the compiler says nothing" : log;
  }

  const std::shared_ptr<device_state> home_;
  opencl_device& on_;
  cl_kernel handle_ = nullptr;
  std::mutex mutex_;
};

}  // namespace plait::detail

namespace plait {

std::vector<device> opencl_devices() {
  const detail::opencl_functions* const cl = detail::opencl_functions::find();
  std::vector<device> all;
  if (cl == nullptr) return all;
  std::uint32_t count = 0;
  if (cl->clGetPlatformIDs(0, nullptr, &count) != 0) return all;
  std::vector<detail::cl_platform_id> platforms(count);
  cl->clGetPlatformIDs(count, platforms.data(), nullptr);
  for (const detail::cl_platform_id platform : platforms) {
    std::uint32_t size = 0;
    if (cl->clGetDeviceIDs(platform, detail::cl_number::all_devices, 0, nullptr, &size) != 0)
      continue;
    std::vector<detail::cl_device_id> ids(size);
    cl->clGetDeviceIDs(platform, detail::cl_number::all_devices, size, ids.data(), nullptr);
    for (const detail::cl_device_id id : ids) {
      std::uint64_t svm = 0;
      cl->clGetDeviceInfo(id, detail::cl_number::device_svm_capabilities, sizeof svm, &svm,
                          nullptr);
      if ((svm & detail::cl_number::svm_of_buffers) == 0) continue;
      all.emplace_back(
          std::make_shared<detail::device_state>(static_cast<int>(all.size()), "OpenCL",
                                                 std::make_unique<detail::opencl_device>(*cl, id)));
    }
  }
  return all;
}

namespace opencl {

kernel::kernel(const device& where, const std::string& source, const std::string& name,
               const std::string& options)
    : built_(std::make_shared<detail::built_kernel>(where, source, name, options)) {}

void launch_with(queue to, const kernel& what, const std::array<std::size_t, 3>& extent,
                 std::span<const detail::opencl_argument> arguments) {
  what.built_->launch(to, extent, arguments);
}

_cl_command_queue* queue_of(queue to) {
  return detail::opencl_of(to.device().commands()).handle(to.which());
}
_cl_context* context_of(const device& where) {
  return detail::opencl_of(where.state()->commands()).context();
}
_cl_device_id* id_of(const device& where) {
  return detail::opencl_of(where.state()->commands()).id();
}
void note(queue to, _cl_event* of_command) {
  detail::opencl_of(to.device().commands()).watch(to, of_command);
}

}  // namespace opencl
}  // namespace plait
