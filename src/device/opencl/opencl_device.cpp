// SPDX-License-Identifier: BSD-3-Clause
#include "device/opencl/opencl_device.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plait::detail {
namespace {

constexpr std::pair<std::int32_t, const char*> names_of_codes[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"}};

[[nodiscard]] std::string code_text(std::int32_t code) {
  const auto* const known =
      std::ranges::find(names_of_codes, code, [](const auto& one) { return one.first; });
  const std::string number = std::to_string(code);
  return known == std::end(names_of_codes) ? number : number + " (" + known->second + ")";
}

[[nodiscard]] std::string extensions_of(const opencl_functions& cl, cl_device_id id) {
  std::size_t size = 0;
  if (cl.clGetDeviceInfo(id, cl_number::device_extensions, 0, nullptr, &size) != 0) return {};
  std::string text(size, '\0');
  cl.clGetDeviceInfo(id, cl_number::device_extensions, size, text.data(), nullptr);
  return text;
}

[[nodiscard]] std::int32_t status_of(const opencl_functions& cl, cl_event event) {
  std::int32_t status = cl_number::running;
  cl.clGetEventInfo(event, cl_number::execution_status, sizeof status, &status, nullptr);
  return status;
}

}  // namespace

std::string failed_call(const char* function, std::int32_t code) {
  return std::string(function) + " returned " + code_text(code);
}

opencl_device::opencl_device(const opencl_functions& cl, cl_device_id id) : cl_(cl), id_(id) {
  std::int32_t code = 0;
  context_ = cl_.clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code);
  if (context_ == nullptr) throw error(failed_call("clCreateContext", code));
  const bool has_priorities =
      extensions_of(cl_, id_).find("cl_khr_priority_hints") != std::string::npos;
  for (std::size_t q = 0; q < device_queue_count; ++q) {
    const bool urgent = static_cast<device_queue>(q) == device_queue::urgent && has_priorities;
    const std::uint64_t wanted[] = {cl_number::queue_priority, cl_number::high_priority, 0};
    queues_[q].handle =
        cl_.clCreateCommandQueueWithProperties(context_, id_, urgent ? wanted : nullptr, &code);
    if (queues_[q].handle == nullptr) {
      release_handles();
      throw error(failed_call("clCreateCommandQueueWithProperties", code));
    }
  }
}

opencl_device::~opencl_device() {
  finish_queues();
  inbox_->end();
  if (reader_.joinable()) reader_.join();
  for (one_queue& q : queues_) {
    for (const command& one : q.open) cl_.clReleaseEvent(one.done);
    for (const one_mark& mark : q.marks) {
      for (const command& one : mark.before) cl_.clReleaseEvent(one.done);
      cl_.clReleaseEvent(mark.last.done);
    }
  }
  release_handles();
}

void opencl_device::listen(device_listener& to) {
  listener_ = &to;
  reader_ = std::thread([this] { read_inbox(); });
}

std::byte* opencl_device::allocate(std::size_t size_bytes) {
  const std::size_t size = std::max<std::size_t>(size_bytes, 1);
  void* const memory = cl_.clSVMAlloc(context_, cl_number::read_and_write, size, 0);
  std::int32_t code = 0;
  const cl_mem buffer =
      memory == nullptr
          ? nullptr
          : cl_.clCreateBuffer(context_, cl_number::read_and_write | cl_number::use_host_memory,
                               size, memory, &code);
  if (buffer == nullptr) {
    if (memory != nullptr) cl_.clSVMFree(context_, memory);
    throw error("an OpenCL device has no room for " + std::to_string(size_bytes) +
                " bytes, or gives no such part of its memory at once");
  }
  auto* const made = static_cast<std::byte*>(memory);
  std::lock_guard lock(mutex_);
  memory_.emplace(made, allocation{size, buffer});
  return made;
}

void opencl_device::release(std::byte* memory) noexcept {
  {
    std::lock_guard lock(mutex_);
    const auto known = memory_.find(memory);
    cl_.clReleaseMemObject(known->second.buffer);
    memory_.erase(known);
    releases_.fetch_add(1, std::memory_order_release);
  }
  cl_.clSVMFree(context_, memory);
}

std::byte* opencl_device::allocate_pinned(std::size_t size_bytes) {
  return allocate_on_host(size_bytes);
}
void opencl_device::release_pinned(std::byte* memory) noexcept {
  release_on_host(memory);
}

opencl_device::place opencl_device::place_of(const void* memory) const {
  const auto* const at = static_cast<const std::byte*>(memory);
  std::lock_guard lock(mutex_);
  auto next = memory_.upper_bound(at);
  if (next == memory_.begin()) return {};
  const auto& [begin, known] = *--next;
  if (at >= begin + known.size_bytes) return {};
  return {known.buffer, static_cast<std::size_t>(at - begin)};
}

void opencl_device::copy(queue in, void* to, const void* from, std::size_t size_bytes) {
  if (size_bytes == 0) return;
  const place target = place_of(to);
  const place source = place_of(from);
  const cl_command_queue by = handle(in.which());
  if (target.buffer != nullptr && source.buffer == nullptr) {
    enqueue(in, "clEnqueueWriteBuffer", [&](cl_event* done) {
      return cl_.clEnqueueWriteBuffer(by, target.buffer, 0, target.offset, size_bytes, from, 0,
                                      nullptr, done);
    });
  } else if (target.buffer == nullptr && source.buffer != nullptr) {
    enqueue(in, "clEnqueueReadBuffer", [&](cl_event* done) {
      return cl_.clEnqueueReadBuffer(by, source.buffer, 0, source.offset, size_bytes, to, 0,
                                     nullptr, done);
    });
  } else {
    enqueue(in, "clEnqueueSVMMemcpy", [&](cl_event* done) {
      return cl_.clEnqueueSVMMemcpy(by, 0, to, from, size_bytes, 0, nullptr, done);
    });
  }
}

void opencl_device::wait(device_queue queue, device_queue other, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  if (!failure_.empty()) return;
  const one_mark* const mark = at(other).mark(number);
  if (mark == nullptr) return;
  const bool is_over = inbox_->has_ended(other, mark->commands) &&
                       status_of(cl_, mark->last.done) == cl_number::complete;
  // Enqueued even then: the status of an event orders no memory.
  const std::int32_t code =
      cl_.clEnqueueBarrierWithWaitList(handle(queue), 1, &mark->last.done, nullptr);
  if (code != 0) throw error(failed_call("clEnqueueBarrierWithWaitList", code));
  at(queue).waits |= !is_over;  // its end is dated: what comes now begins later
}

std::uint64_t opencl_device::mark(device_queue queue, std::unique_ptr<open_turn>) {
  std::lock_guard lock(mutex_);
  one_queue& q = at(queue);
  const std::uint64_t number = ++q.last;
  if (!failure_.empty()) return number;
  if ((q.is_given || q.open.empty()) && !add_marker(queue)) return number;
  one_mark& added = q.marks.emplace_back(one_mark{number, q.commands, q.open.back(), {}});
  q.open.pop_back();
  if (!q.open.empty()) added.before = std::exchange(q.open, {});
  if (waiting_.fetch_add(1, std::memory_order_acq_rel) == 0) inbox_->wake();
  cl_.clFlush(q.handle);
  return number;
}

/// Returns whether it is enqueued.
bool opencl_device::add_marker(device_queue queue) {
  one_queue& q = at(queue);
  cl_event event = nullptr;
  const std::int32_t code = cl_.clEnqueueMarkerWithWaitList(q.handle, 0, nullptr, &event);
  if (code != 0) {
    note_failure(code, nullptr);
    inbox_->knock();
    return false;
  }
  watch(queue, event, nullptr);
  return true;
}

bool opencl_device::has_done(device_queue queue, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  const one_mark* const mark = at(queue).mark(number);
  return mark == nullptr || status_of(cl_, mark->last.done) <= cl_number::complete;
}

void opencl_device::arm(device_queue queue, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  arm_locked(queue, number);
}

void opencl_device::arm_locked(device_queue queue, std::uint64_t number) {
  one_mark* const mark = at(queue).mark(number);
  if (mark == nullptr) {
    inbox_->knock();
  } else {
    ask_end(queue, mark->last, mark->commands);
    inbox_->arm(queue, mark->commands);
  }
}

std::string opencl_device::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void opencl_device::await(device_queue queue, std::uint64_t number) noexcept {
  std::unique_lock lock(mutex_);
  while (passed(queue) < number && !is_settled_) {
    arm_locked(queue, number);
    changed_.wait(lock);
  }
  if (passed(queue) >= number) return;
  lock.unlock();
  cl_.clFinish(handle(queue));  // of what the program has enqueued by itself
}

cl_command_queue opencl_device::given(device_queue queue) {
  std::lock_guard lock(mutex_);
  at(queue).is_given = true;
  return handle(queue);
}

void opencl_device::note(const queue& in, cl_event done) {
  std::lock_guard lock(mutex_);
  cl_.clRetainEvent(done);
  watch(in.which(), done, in.task());
}

/// Takes the caller's reference.  What is before a command that waits, or that an observer is told
/// of, is to be told to have ended, too.
void opencl_device::watch(device_queue queue, cl_event done, const char* task) {
  one_queue& q = at(queue);
  const bool waits = task != nullptr && std::exchange(q.waits, false);
  const bool is_alone = task == nullptr || q.is_given || listener_->is_observed();
  if (waits || is_alone) ask_newest_end(queue);
  q.open.push_back({done, task});
  const std::uint64_t number = ++q.commands;
  const bool asks = inbox_->add(
      {.queue = queue, .number = number, .task = task, .waits = waits, .is_alone = is_alone});
  const bool is_dated = !waits || inbox_->ask_begin(cl_, done, queue, number);
  if (asks || !is_dated) ask_newest_end(queue);
}

/// Callbacks take the inbox's mutex alone, wherever they come.
void opencl_device::ask_end(device_queue queue, command& of, std::uint64_t number) {
  if (!std::exchange(of.is_asked, true)) inbox_->ask(cl_, of.done, queue, number);
}

void opencl_device::ask_newest_end(device_queue queue) {
  if (command* const newest = at(queue).newest(); newest != nullptr)
    ask_end(queue, *newest, at(queue).commands);
}

void opencl_device::finish_queues() noexcept {
  for (const one_queue& q : queues_) cl_.clFinish(q.handle);
}

void opencl_device::release_handles() noexcept {
  for (const one_queue& q : queues_) {
    if (q.handle != nullptr) cl_.clReleaseCommandQueue(q.handle);
  }
  cl_.clReleaseContext(context_);
}

// --- the device's thread -----------------------------------------------------------------------

void opencl_device::read_inbox() {
  std::vector<opencl_news> read;
  const auto is_asleep = [this] { return waiting_.load(std::memory_order_acquire) == 0; };
  while (true) {
    const opencl_inbox::waking why = inbox_->sleep(read, is_asleep);
    tell(read);
    read.clear();
    if (why.is_late) look();
    if (why.asks) ask(why);
    if (why.ends) return;
  }
}

/// Who waits for marks reads the ledger when they have passed: so this comes first.
void opencl_device::tell(const std::vector<opencl_news>& read) {
  for (const opencl_news& one : read) {
    if (one.kind == opencl_news::kinds::began) {
      listener_->began(one.queue, one.now);
    } else {
      listener_->ran(one.queue, one.task, one.begin, one.now);
    }
  }
}

/// Asks the events themselves what is over, where no callback may have come.
void opencl_device::look() {
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    for (const one_mark& mark : queues_[i].marks) {
      if (!is_over(mark)) break;
      inbox_->over(static_cast<device_queue>(i), mark.commands);
    }
  }
  if (!failure_.empty() && !is_settled_) inbox_->knock();
}

/// Passes marks, asks for the ends of what has come last, and tells.
void opencl_device::ask(const opencl_inbox::waking& why) {
  std::vector<cl_event> over;
  bool fails = false;
  {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      pass_marks(queues_[i], why.told[i], over);
      if (failure_.empty()) ask_newest_end(static_cast<device_queue>(i));
    }
    fails = !failure_.empty() && !is_settled_;
  }
  for (const cl_event one : over) cl_.clReleaseEvent(one);
  if (fails) {
    settle();
    tell(inbox_->end_all());
  }
  changed_.notify_all();
  listener_->moved();
}

/// `told`: the last command whose news the ledger has.  Events to be released go to `over`.
void opencl_device::pass_marks(one_queue& q, std::uint64_t told, std::vector<cl_event>& over) {
  while (!q.marks.empty() && failure_.empty()) {
    const one_mark& mark = q.marks.front();
    if (mark.commands > told || !is_over(mark)) return;
    for (const command& one : mark.before) over.push_back(one.done);
    over.push_back(mark.last.done);
    q.passed.store(mark.number, std::memory_order_release);
    q.marks.pop_front();
    waiting_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

/// Returns whether all up to a mark is complete; notes what has failed.
bool opencl_device::is_over(const one_mark& mark) {
  bool is_complete = true;
  const auto look_at = [&](const command& one) {
    const std::int32_t status = status_of(cl_, one.done);
    if (status < 0) note_failure(status, one.task);
    is_complete = is_complete && status == cl_number::complete;
  };
  for (const command& one : mark.before) look_at(one);
  look_at(mark.last);
  return is_complete;
}

/// The cause takes the place of what has failed because it waited.
void opencl_device::note_failure(std::int32_t status, const char* task) {
  const bool is_cause = status != cl_number::waited_for_failure;
  if (!failure_.empty() && (is_cause_ || !is_cause)) return;
  failure_ = "error " + code_text(status);
  if (task != nullptr) failure_ += std::string(" in '") + task + "'";
  is_cause_ = is_cause;
}

/// After a failure: ends what runs, so that nothing touches memory of the program any more, and
/// looks for the cause.
void opencl_device::settle() {
  finish_queues();
  std::lock_guard lock(mutex_);
  for (const one_queue& q : queues_) {
    for (const one_mark& mark : q.marks) {
      for (const command& one : mark.before) {
        if (const std::int32_t status = status_of(cl_, one.done); status < 0)
          note_failure(status, one.task);
      }
      if (const std::int32_t status = status_of(cl_, mark.last.done); status < 0)
        note_failure(status, mark.last.task);
    }
    for (const command& one : q.open) {
      if (const std::int32_t status = status_of(cl_, one.done); status < 0)
        note_failure(status, one.task);
    }
  }
  waiting_.store(0, std::memory_order_release);
  is_settled_ = true;
}

}  // namespace plait::detail
