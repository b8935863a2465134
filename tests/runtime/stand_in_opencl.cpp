// SPDX-License-Identifier: BSD-3-Clause
// Stands in for libOpenCL.so.1 where tests run.  It does what the specification allows and drivers
// do: a command runs only after clFlush; a callback comes in the queue's thread, or at once within
// clSetEventCallback, or in a thread that outlives the queue; after a failed wait no callback comes
// at all; and memory that is freed is no argument of a kernel any more.  Kernels are those that the
// tests' sources name, in C++.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/opencl/opencl_functions.hpp"
#include "stand_in_events.hpp"
#include "stand_in_kernels.hpp"

using plait::detail::cl_callback;
using plait::detail::cl_command_queue;
using plait::detail::cl_context;
using plait::detail::cl_device_id;
using plait::detail::cl_event;
using plait::detail::cl_kernel;
using plait::detail::cl_platform_id;
using plait::detail::cl_program;
using plait::test::argument_bytes;
using plait::test::changed;
using plait::test::guard;
using plait::test::known_kernel;
using plait::test::late_ones;
using plait::test::value_of;
namespace number = plait::detail::cl_number;

namespace {

constexpr std::int32_t out_of_resources = -5;

// Under the guard.
std::vector<bool> asked;  ///< whether a callback has been asked for the end of each command
bool refuses_begins = false;

}  // namespace

struct _cl_command_queue {
  struct command {
    std::function<std::int32_t()> work;  ///< returns its status; empty: a marker or a barrier
    std::vector<cl_event> after;
    cl_event done;
  };
  std::deque<command> commands;
  std::size_t flushed = 0;
  bool runs = false;
  bool ends = false;
  std::thread thread{[this] { serve(); }};

  void serve() {
    std::unique_lock lock(guard);
    while (true) {
      changed.wait(lock, [this] { return ends || flushed > 0; });
      if (flushed == 0) return;
      command now = std::move(commands.front());
      commands.pop_front();
      --flushed;
      runs = true;
      changed.wait(lock, [&] {
        return std::ranges::all_of(now.after, [](cl_event e) { return e->status <= 0; });
      });
      const bool has_failed =
          std::ranges::any_of(now.after, [](cl_event e) { return e->status < 0; });
      for (const cl_event one : now.after) one->release();
      std::int32_t end = number::complete;
      if (has_failed) {
        now.done->is_silent = true;
        end = number::waited_for_failure;
      } else {
        now.done->become(number::running, lock);
        if (now.work) {
          lock.unlock();
          end = now.work();
          lock.lock();
        }
      }
      now.done->become(end, lock);
      now.done->release();
      runs = false;
      changed.notify_all();
    }
  }

  std::int32_t add(std::function<std::int32_t()> work, std::uint32_t count, const cl_event* after,
                   cl_event* done) {
    std::lock_guard lock(guard);
    command added{std::move(work), {after, after + count}, new _cl_event};
    for (const cl_event one : added.after) ++one->references;
    if (done == nullptr) {
      --added.done->references;
    } else {
      *done = added.done;
      added.done->place = asked.size();
      asked.push_back(false);
    }
    commands.push_back(std::move(added));
    return 0;
  }
};

struct _cl_context {};
struct _cl_mem {
  std::byte* memory;
};
struct _cl_device_id {};
struct _cl_platform_id {};
struct _cl_program {
  std::string source;
};
struct _cl_kernel {
  const known_kernel* what;
  std::vector<argument_bytes> arguments;  ///< under the guard
};

namespace {
_cl_device_id the_device;
_cl_platform_id the_platform;

std::int32_t give(const void* from, std::size_t size, std::size_t room, void* to,
                  std::size_t* told) {
  if (told != nullptr) *told = size;
  if (to != nullptr) std::memcpy(to, from, std::min(size, room));
  return 0;
}

std::map<const std::byte*, std::size_t> shared;  ///< memory, under the guard
std::set<cl_kernel> kernels;                     ///< under the guard

bool is_shared(const void* memory) {
  const auto* const at = static_cast<const std::byte*>(memory);
  std::lock_guard lock(guard);
  auto next = shared.upper_bound(at);
  if (next == shared.begin()) return false;
  const auto& [begin, size] = *--next;
  return at < begin + size;
}

auto copy_of(void* to, const void* from, std::size_t size) {
  return [=] {
    std::memcpy(to, from, size);
    return number::complete;
  };
}

std::int32_t set_argument(cl_kernel of, std::uint32_t at, bool is_memory, const void* from,
                          std::size_t size) {
  if (at >= of->arguments.size()) return -49;
  if ((of->what->values[at] == 0) != is_memory) return -50;
  const auto* const first = static_cast<const std::byte*>(from);
  std::lock_guard lock(guard);
  of->arguments[at].assign(first, first + size);
  return 0;
}
}  // namespace

extern "C" {

std::int32_t clGetPlatformIDs(std::uint32_t room, cl_platform_id* to, std::uint32_t* count) {
  if (room > 0) to[0] = &the_platform;
  if (count != nullptr) *count = 1;
  return 0;
}
std::int32_t clGetDeviceIDs(cl_platform_id, std::uint64_t, std::uint32_t room, cl_device_id* to,
                            std::uint32_t* count) {
  if (room > 0) to[0] = &the_device;
  if (count != nullptr) *count = 1;
  return 0;
}
std::int32_t clGetDeviceInfo(cl_device_id, std::uint32_t what, std::size_t room, void* to,
                             std::size_t* size) {
  if (what == number::device_svm_capabilities)
    return give(&number::svm_of_buffers, sizeof number::svm_of_buffers, room, to, size);
  constexpr char extensions[] = "cl_khr_priority_hints";
  return give(extensions, sizeof extensions, room, to, size);
}
cl_context clCreateContext(const std::intptr_t*, std::uint32_t, const cl_device_id*,
                           void (*)(const char*, const void*, std::size_t, void*), void*,
                           std::int32_t*) {
  return new _cl_context;
}
std::int32_t clReleaseContext(cl_context one) {
  delete one;
  return 0;
}
cl_command_queue clCreateCommandQueueWithProperties(cl_context, cl_device_id, const std::uint64_t*,
                                                    std::int32_t*) {
  return new _cl_command_queue;
}
std::int32_t clReleaseCommandQueue(cl_command_queue one) {
  {
    std::lock_guard lock(guard);
    one->flushed = one->commands.size();
    one->ends = true;
    changed.notify_all();
  }
  one->thread.join();
  delete one;
  return 0;
}
std::int32_t clFlush(cl_command_queue one) {
  std::lock_guard lock(guard);
  one->flushed = one->commands.size();
  changed.notify_all();
  return 0;
}
std::int32_t clFinish(cl_command_queue one) {
  clFlush(one);
  std::unique_lock lock(guard);
  changed.wait(lock, [&] { return one->commands.empty() && !one->runs; });
  return 0;
}
void* clSVMAlloc(cl_context, std::uint64_t, std::size_t size, std::uint32_t) {
  void* const memory = ::operator new (size, std::align_val_t{256}, std::nothrow);
  std::lock_guard lock(guard);
  shared.emplace(static_cast<std::byte*>(memory), size);
  return memory;
}
void clSVMFree(cl_context, void* memory) {
  {
    std::lock_guard lock(guard);
    shared.erase(static_cast<std::byte*>(memory));
    for (const cl_kernel one : kernels) {
      for (std::size_t i = 0; i < one->arguments.size(); ++i) {
        argument_bytes& set = one->arguments[i];
        if (one->what->values[i] == 0 && !set.empty() && value_of<void*>(set) == memory)
          set.clear();
      }
    }
  }
  ::operator delete (memory, std::align_val_t{256});
}
plait::detail::cl_mem clCreateBuffer(cl_context, std::uint64_t, std::size_t, void* memory,
                                     std::int32_t*) {
  return new _cl_mem{static_cast<std::byte*>(memory)};
}
std::int32_t clReleaseMemObject(plait::detail::cl_mem one) {
  delete one;
  return 0;
}
std::int32_t clEnqueueReadBuffer(cl_command_queue in, plait::detail::cl_mem from, std::uint32_t,
                                 std::size_t offset, std::size_t size, void* to,
                                 std::uint32_t count, const cl_event* after, cl_event* done) {
  return in->add(copy_of(to, from->memory + offset, size), count, after, done);
}
std::int32_t clEnqueueWriteBuffer(cl_command_queue in, plait::detail::cl_mem to, std::uint32_t,
                                  std::size_t offset, std::size_t size, const void* from,
                                  std::uint32_t count, const cl_event* after, cl_event* done) {
  return in->add(copy_of(to->memory + offset, from, size), count, after, done);
}
/// Memory of the host is none of its business, which some drivers do not say.
std::int32_t clEnqueueSVMMemcpy(cl_command_queue in, std::uint32_t, void* to, const void* from,
                                std::size_t size, std::uint32_t count, const cl_event* after,
                                cl_event* done) {
  if (!is_shared(to) || !is_shared(from)) std::abort();
  return in->add(copy_of(to, from, size), count, after, done);
}
std::int32_t clEnqueueMarkerWithWaitList(cl_command_queue in, std::uint32_t count,
                                         const cl_event* after, cl_event* done) {
  return in->add({}, count, after, done);
}
std::int32_t clEnqueueBarrierWithWaitList(cl_command_queue in, std::uint32_t count,
                                          const cl_event* after, cl_event* done) {
  return in->add({}, count, after, done);
}
std::int32_t clSetEventCallback(cl_event of, std::int32_t when, cl_callback call, void* data) {
  {
    std::lock_guard lock(guard);
    if (when == number::running && refuses_begins) return -30;
    if (when == number::complete) asked[of->place] = true;
    if (of->is_silent) return 0;
    if (of->status > when) {
      of->callbacks.push_back({when, call, data});
      return 0;
    }
  }
  call(of, of->status, data);
  return 0;
}
std::int32_t clGetEventInfo(cl_event of, std::uint32_t, std::size_t room, void* to,
                            std::size_t* size) {
  std::lock_guard lock(guard);
  return give(&of->status, sizeof of->status, room, to, size);
}
std::int32_t clRetainEvent(cl_event one) {
  std::lock_guard lock(guard);
  ++one->references;
  return 0;
}
std::int32_t clReleaseEvent(cl_event one) {
  std::lock_guard lock(guard);
  one->release();
  return 0;
}
cl_program clCreateProgramWithSource(cl_context, std::uint32_t, const char** text,
                                     const std::size_t*, std::int32_t*) {
  return new _cl_program{*text};
}
std::int32_t clBuildProgram(cl_program of, std::uint32_t, const cl_device_id*, const char*,
                            void (*)(cl_program, void*), void*) {
  return of->source.find("nothing()") == std::string::npos ? 0 : -11;
}
std::int32_t clGetProgramBuildInfo(cl_program, cl_device_id, std::uint32_t, std::size_t room,
                                   void* to, std::size_t* size) {
  constexpr char log[] = "error: 'nothing' is not declared";
  return give(log, sizeof log, room, to, size);
}
std::int32_t clReleaseProgram(cl_program one) {
  delete one;
  return 0;
}
cl_kernel clCreateKernel(cl_program of, const char* name, std::int32_t* code) {
  const known_kernel* const one = plait::test::kernel_in(of->source, name);
  if (one == nullptr) {
    *code = -46;
    return nullptr;
  }
  std::lock_guard lock(guard);
  return *kernels.insert(new _cl_kernel{one, std::vector<argument_bytes>(one->values.size())})
              .first;
}
std::int32_t clGetKernelInfo(cl_kernel of, std::uint32_t, std::size_t room, void* to,
                             std::size_t* size) {
  const auto count = static_cast<std::uint32_t>(of->arguments.size());
  return give(&count, sizeof count, room, to, size);
}
std::int32_t clReleaseKernel(cl_kernel one) {
  std::lock_guard lock(guard);
  kernels.erase(one);
  delete one;
  return 0;
}
std::int32_t clSetKernelArg(cl_kernel of, std::uint32_t at, std::size_t size, const void* from) {
  return set_argument(of, at, false, from, size);
}
std::int32_t clSetKernelArgSVMPointer(cl_kernel of, std::uint32_t at, const void* address) {
  return set_argument(of, at, true, &address, sizeof address);
}
std::int32_t clEnqueueNDRangeKernel(cl_command_queue in, cl_kernel what, std::uint32_t,
                                    const std::size_t*, const std::size_t* items,
                                    const std::size_t*, std::uint32_t count, const cl_event* after,
                                    cl_event* done) {
  if (items[0] * items[1] * items[2] == 0) return -63;
  std::vector<argument_bytes> set;
  {
    std::lock_guard lock(guard);
    set = what->arguments;
  }
  if (std::ranges::any_of(set, [](const argument_bytes& one) { return one.empty(); })) return -52;
  return in->add(
      [of = what->what, arguments = std::move(set), nx = items[0], ny = items[1], nz = items[2]] {
        const bool fails = of->fails != nullptr && of->fails(arguments);
        for (std::size_t z = 0; z < nz && !fails; ++z)
          for (std::size_t y = 0; y < ny; ++y)
            for (std::size_t x = 0; x < nx; ++x) of->run(arguments, {x, y, z});
        return fails ? out_of_resources : number::complete;
      },
      count, after, done);
}

/// For tests: whether a callback has been asked for the end of the command that was enqueued with
/// an event so many before the last.
int stand_in_asked(std::size_t before) {
  std::lock_guard lock(guard);
  return asked[asked.size() - 1 - before] ? 1 : 0;
}
/// For tests: whether callbacks are refused for the begin of a command.
void stand_in_refuse_begins(int refuses) {
  std::lock_guard lock(guard);
  refuses_begins = refuses != 0;
}
/// For tests: whether callbacks that come late are not to come yet.
void stand_in_hold_late(int holds) {
  std::lock_guard lock(guard);
  late_ones.hold(holds != 0);
}
/// For tests: how many callbacks come late and have not ended.
int stand_in_late() {
  std::lock_guard lock(guard);
  return late_ones.still_to_come();
}

}  // extern "C"
