// SPDX-License-Identifier: BSD-3-Clause
#include "device/opencl/opencl_device.hpp"

#include <algorithm>
#include <limits>
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

}  // namespace

std::string failed_call(const char* function, std::int32_t code) {
  return std::string(function) + " returned " + code_text(code);
}

opencl_device::opencl_device(const opencl_functions& cl, cl_device_id id) : cl_(cl), id_(id) {
  std::int32_t code = 0;
  context_ = cl_.clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code);
  if (context_ == nullptr) throw error(failed_call("clCreateContext", code));
  const bool has_priorities = extensions().find("cl_khr_priority_hints") != std::string::npos;
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
  const std::int32_t code =
      cl_.clEnqueueBarrierWithWaitList(handle(queue), 1, &mark->last.done, nullptr);
  if (code != 0) throw error(failed_call("clEnqueueBarrierWithWaitList", code));
  at(queue).waits = true;
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
    note_failure(code, "");
    inbox_->knock();
    return false;
  }
  q.open.push_back({event, ""});
  inbox_->watch(cl_, event, {.queue = queue, .number = ++q.commands});
  return true;
}

/// A full queue may have room that nobody has been told of.
void opencl_device::look(device_queue queue) {
  std::lock_guard lock(mutex_);
  pass_marks(at(queue), std::numeric_limits<std::uint64_t>::max());
  if (!failure_.empty()) inbox_->knock();
}

void opencl_device::arm(device_queue queue, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  arm_locked(queue, number);
}

void opencl_device::arm_locked(device_queue queue, std::uint64_t number) {
  const one_mark* const mark = at(queue).mark(number);
  if (mark == nullptr) {
    inbox_->knock();
  } else {
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
  watch(in, done);
}

/// Takes the caller's reference.
void opencl_device::watch(const queue& in, cl_event done) {
  one_queue& q = at(in.which());
  q.open.push_back({done, in.task()});
  inbox_->watch(cl_, done,
                {.queue = in.which(),
                 .number = ++q.commands,
                 .task = in.task(),
                 .waits = std::exchange(q.waits, false)});
}

std::string opencl_device::extensions() const {
  std::size_t size = 0;
  if (cl_.clGetDeviceInfo(id_, cl_number::device_extensions, 0, nullptr, &size) != 0) return {};
  std::string text(size, '\0');
  cl_.clGetDeviceInfo(id_, cl_number::device_extensions, size, text.data(), nullptr);
  return text;
}

std::int32_t opencl_device::status_of(cl_event event) const {
  std::int32_t status = cl_number::running;
  cl_.clGetEventInfo(event, cl_number::execution_status, sizeof status, &status, nullptr);
  return status;
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

/// Tells whether marks have passed here or, before, in `look`.
void opencl_device::ask(const opencl_inbox::waking& why) {
  bool fails = false;
  {
    std::lock_guard lock(mutex_);
    for (std::size_t q = 0; q < queues_.size(); ++q) pass_marks(queues_[q], why.told[q]);
    fails = !failure_.empty() && !is_settled_;
  }
  if (fails) {
    settle();
    tell(inbox_->end_all());
  }
  changed_.notify_all();
  listener_->moved();
}

/// `told`: the last command whose news the ledger has.
void opencl_device::pass_marks(one_queue& q, std::uint64_t told) {
  while (!q.marks.empty() && failure_.empty()) {
    const one_mark& mark = q.marks.front();
    if (mark.commands > told || !is_over(mark)) return;
    for (const command& one : mark.before) cl_.clReleaseEvent(one.done);
    cl_.clReleaseEvent(mark.last.done);
    q.passed.store(mark.number, std::memory_order_release);
    q.marks.pop_front();
    waiting_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

/// Returns whether all up to a mark is complete; notes what has failed.
bool opencl_device::is_over(const one_mark& mark) {
  bool is_complete = true;
  const auto look_at = [&](const command& one) {
    const std::int32_t status = status_of(one.done);
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
  if (*task != '\0') failure_ += std::string(" in '") + task + "'";
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
        if (const std::int32_t status = status_of(one.done); status < 0)
          note_failure(status, one.task);
      }
      if (const std::int32_t status = status_of(mark.last.done); status < 0)
        note_failure(status, mark.last.task);
    }
    for (const command& one : q.open) {
      if (const std::int32_t status = status_of(one.done); status < 0)
        note_failure(status, one.task);
    }
  }
  waiting_.store(0, std::memory_order_release);
  is_settled_ = true;
}

}  // namespace plait::detail
