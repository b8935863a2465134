// SPDX-License-Identifier: BSD-3-Clause
// Stands in for libcuda.so.1, and with STAND_IN_HIP for libamdhip64.so, where tests run.  It does
// what the documentation allows: commands run late; a copy to or from memory that is not pinned may
// be made at once or wait for its end; host functions may not come after a fault.  And it ends the
// test where the documentation forbids: a call in a host function, without a context or in
// another's, with a handle that is gone, times of events that have none.  Kernels are those that
// the tests' sources name, in C++.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "stand_in_cuda_captures.hpp"
#include "stand_in_cuda_streams.hpp"
#include "stand_in_kernels.hpp"

#ifdef STAND_IN_HIP
#define NAME(cuda, hip) hip
#else
#define NAME(cuda, hip) cuda
#endif

namespace plait::test {
namespace {

constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;
constexpr int not_found = 500;
constexpr int not_ready = 600;
constexpr int illegal_address = 700;
constexpr int greatest_priority = -5;

constexpr const char* no_stream = "a stream that there is not";
constexpr const char* no_event = "an event that there is not";

context contexts[2];  ///< of its devices
bool is_initialised = false;
/// HIP's threads begin with the first device.
thread_local context* current = NAME(nullptr, &contexts[0]);

struct memory_block {
  std::size_t size;
  context* of;  ///< null: pinned memory of the host
};
std::map<const std::byte*, memory_block> blocks;
handles<stream> streams;
handles<event> events;
captures captured;
struct module {
  std::string source;
};
handles<module> modules;
handles<const known_kernel> kernels;

/// What a capture refuses, or the context's fault.
int refusal(const context& of) {
  return of.fault != 0 ? of.fault : captured.unsafe_call();
}

/// The calling thread may call, and has a context.
context& enter() {
  if (in_host_function) broken("a call in a host function");
  if (!is_initialised) broken("a call before cuInit");
  if (current == nullptr) broken("a call without a current context");
  if (NAME(current->references == 0, false)) broken("a call in a context that nobody has retained");
  return *current;
}
stream& stream_at(const void* handle, const context& of) {
  stream& one = *streams.at(handle, no_stream);
  if (&one.of() != &of) broken("a stream of another context than the current");
  return one;
}
event& event_at(const void* handle, const context& of) {
  event& one = *events.at(handle, no_event);
  if (&one.of != &of) broken("an event of another context than the current");
  return one;
}

const memory_block* block_of(const void* memory, std::size_t size) {
  const auto* const at = static_cast<const std::byte*>(memory);
  auto next = blocks.upper_bound(at);
  if (next == blocks.begin()) return nullptr;
  const auto& [begin, block] = *--next;
  return at + size <= begin + block.size ? &block : nullptr;
}
bool is_on(const context& of, const void* memory, std::size_t size) {
  const memory_block* const block = block_of(memory, size);
  return block != nullptr && block->of == &of;
}
bool is_pinned(const void* memory, std::size_t size) {
  const memory_block* const block = block_of(memory, size);
  return block != nullptr && block->of == nullptr;
}

int allocate(void** to, std::size_t size, context* of) {
  constexpr std::size_t room = std::size_t{1} << 38;
  if (size == 0) return invalid_value;
  if (size >= room) return out_of_memory;
  *to = ::operator new (size, std::align_val_t{256}, std::nothrow);
  if (*to == nullptr) return out_of_memory;
  blocks.emplace(static_cast<std::byte*>(*to), memory_block{size, of});
  return 0;
}
int release(void* memory, bool is_host) {
  std::lock_guard lock(guard);
  const int fault = refusal(enter());
  if (fault == capture_code::unsupported) return fault;
  const auto found = blocks.find(static_cast<std::byte*>(memory));
  if (found == blocks.end() || (found->second.of == nullptr) != is_host)
    broken("memory is freed that there is not");
  blocks.erase(found);
  ::operator delete (memory, std::align_val_t{256});
  return fault;
}

enum class ways { to_device, to_host, within };

/// In two parts, between which others may run.
void copy_bytes(void* to, const void* from, std::size_t size) {
  const std::size_t half = size / 2;
  std::memcpy(to, from, half);
  std::this_thread::yield();
  std::memcpy(static_cast<std::byte*>(to) + half, static_cast<const std::byte*>(from) + half,
              size - half);
}
int copy(void* to, const void* from, std::size_t size, const void* handle, ways way) {
  std::unique_lock lock(guard);
  context& here = enter();
  stream& by = stream_at(handle, here);
  if (here.fault != 0) return here.fault;
  const bool may_wait = !is_pinned(way == ways::to_host ? to : from, size) && way != ways::within;
  if (const int code = may_wait ? captured.unsafe_call() : 0; code != 0) return code;
  const auto is_right = [=, &here] {
    const bool target = way == ways::to_host ? block_of(to, 1) == nullptr || is_pinned(to, size)
                                             : is_on(here, to, size);
    const bool source = way == ways::to_device
                            ? block_of(from, 1) == nullptr || is_pinned(from, size)
                            : is_on(here, from, size);
    return target && source;
  };
  if (!is_right()) return invalid_value;
  std::shared_ptr<std::vector<std::byte>> staged;
  if (way == ways::to_device && !is_pinned(from, size) && one_in(2)) {
    const auto* const first = static_cast<const std::byte*>(from);
    staged = std::make_shared<std::vector<std::byte>>(first, first + size);
    from = staged->data();
  }
  by.work([=] {
    if (staged == nullptr) {
      std::lock_guard inner(guard);
      if (!is_right()) broken("memory is freed that a copy needs");
    }
    copy_bytes(to, from, size);
    return 0;
  });
  if (way == ways::to_host && !is_pinned(to, size) && one_in(2)) {
    const std::shared_ptr<record> end = by.mark();
    changed.wait(lock, [&] { return end->is_over || here.fault != 0; });
  }
  return here.fault;
}

}  // namespace
}  // namespace plait::test

using namespace plait::test;

extern "C" {

/// Not CUDA's: what is left of streams and events, and what was allocated.
std::size_t stand_in_left() {
  std::lock_guard lock(guard);
  return streams.size() + events.size() + blocks.size();
}
/// Not CUDA's: how many host functions were called.
std::size_t stand_in_called() {
  return host_functions.load();
}
/// Not CUDA's: what only a new process could do after a fault.
void stand_in_begin_again() {
  std::lock_guard lock(guard);
  for (context& one : contexts) one.dies_of = one.fault = 0;
}

int NAME(cuInit, hipInit)(unsigned) {
  std::lock_guard lock(guard);
  is_initialised = true;
  return 0;
}
int NAME(cuDeviceGetCount, hipGetDeviceCount)(int* count) {
  *count = static_cast<int>(std::size(contexts));
  return 0;
}
int NAME(cuDeviceGet, hipDeviceGet)(int* device, int ordinal) {
  *device = 100 + ordinal;
  return 0;
}
int NAME(cuDevicePrimaryCtxRetain, hipDevicePrimaryCtxRetain)(void** to, int device) {
  std::lock_guard lock(guard);
  context& one = contexts[device - 100];
  ++one.references;
  *to = &one;
  return 0;
}
int NAME(cuDevicePrimaryCtxRelease_v2, hipDevicePrimaryCtxRelease)(int device) {
  std::lock_guard lock(guard);
  if (--contexts[device - 100].references < 0) broken("a context is released that nobody has");
  return 0;
}
int NAME(cuCtxGetCurrent, hipCtxGetCurrent)(void** to) {
  if (in_host_function) broken("a call in a host function");
  *to = current;
  return 0;
}
int NAME(cuCtxSetCurrent, hipCtxSetCurrent)(void* to) {
  if (in_host_function) broken("a call in a host function");
  current = static_cast<context*>(to);
  return 0;
}
int NAME(cuCtxGetStreamPriorityRange, hipDeviceGetStreamPriorityRange)(int* least, int* greatest) {
  std::lock_guard lock(guard);
  *least = 0;
  *greatest = greatest_priority;
  return enter().fault;
}
int NAME(cuGetErrorName, hipDrvGetErrorName)(int code, const char** to) {
  const auto named = [&](const char* name) {
    *to = name;
    return 0;
  };
  if (code == invalid_value) return named(NAME("CUDA_ERROR_INVALID_VALUE", "hipErrorInvalidValue"));
  if (code == out_of_memory) return named(NAME("CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory"));
  if (code == capture_code::unsupported)
    return named(NAME("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "hipErrorStreamCaptureUnsupported"));
  if (code == illegal_address)
    return named(NAME("CUDA_ERROR_ILLEGAL_ADDRESS", "hipErrorIllegalAddress"));
  return invalid_value;
}

int NAME(cuMemAlloc_v2, hipMalloc)(void** to, std::size_t size) {
  std::lock_guard lock(guard);
  context& here = enter();
  const int code = refusal(here);
  return code != 0 ? code : allocate(to, size, &here);
}
int NAME(cuMemFree_v2, hipFree)(void* memory) {
  return release(memory, false);
}
int NAME(cuMemHostAlloc, hipHostMalloc)(void** to, std::size_t size, unsigned flags) {
  std::lock_guard lock(guard);
  if (flags != 1) broken("host memory is pinned for one context");
  const int code = refusal(enter());
  return code != 0 ? code : allocate(to, size, nullptr);
}
int NAME(cuMemFreeHost, hipHostFree)(void* memory) {
  return release(memory, true);
}
int NAME(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(void* to, const void* from, std::size_t size,
                                                   void* in) {
  return copy(to, from, size, in, ways::to_device);
}
int NAME(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void* to, const void* from, std::size_t size,
                                                   void* in) {
  return copy(to, from, size, in, ways::to_host);
}
int NAME(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync)(void* to, const void* from, std::size_t size,
                                                   void* in) {
  return copy(to, from, size, in, ways::within);
}

int NAME(cuStreamCreateWithPriority, hipStreamCreateWithPriority)(void** to, unsigned flags,
                                                                  int priority) {
  std::lock_guard lock(guard);
  context& here = enter();
  if (flags != 1) broken("a stream that waits for the default stream");
  if (priority > 0 || priority < greatest_priority) broken("a priority out of the range");
  if (here.fault == 0) *to = streams.add(std::make_shared<stream>(here, priority));
  return here.fault;
}
int NAME(cuStreamGetPriority, hipStreamGetPriority)(void* of, int* priority) {
  std::lock_guard lock(guard);
  *priority = stream_at(of, enter()).priority();
  return 0;
}
int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void* one) {
  std::shared_ptr<stream> ended;  // without the guard
  std::lock_guard lock(guard);
  context& here = enter();
  static_cast<void>(stream_at(one, here));
  ended = streams.take(one, no_stream);
  return here.fault;
}
int NAME(cuStreamSynchronize, hipStreamSynchronize)(void* one) {
  std::unique_lock lock(guard);
  context& here = enter();
  const std::shared_ptr<stream> kept = streams.at(one, no_stream);
  if (const int code = here.fault != 0 ? 0 : captured.waiting_call(one); code != 0) return code;
  stream_at(one, here).finish(lock);
  return here.fault;
}
int NAME(cuStreamWaitEvent, hipStreamWaitEvent)(void* in, void* what, unsigned) {
  std::lock_guard lock(guard);
  context& here = enter();
  const std::shared_ptr<record> last = event_at(what, here).last;
  if (here.fault == 0 && last != nullptr) stream_at(in, here).wait_for(last);
  return here.fault;
}
int NAME(cuLaunchHostFunc, hipLaunchHostFunc)(void* in, void (*function)(void*), void* data) {
  std::lock_guard lock(guard);
  context& here = enter();
  if (here.fault == 0) stream_at(in, here).call(function, data);
  return here.fault;
}

int NAME(cuThreadExchangeStreamCaptureMode, hipThreadExchangeStreamCaptureMode)(int* mode) {
  *mode = static_cast<int>(std::exchange(captures::mode, static_cast<capture_mode>(*mode)));
  return 0;
}
int NAME(cuStreamBeginCapture_v2, hipStreamBeginCapture)(void* one, int mode) {
  std::lock_guard lock(guard);
  context& here = enter();
  static_cast<void>(stream_at(one, here));
  return here.fault != 0 ? here.fault : captured.begin(one, static_cast<capture_mode>(mode));
}
/// Graphs have nothing in them.
int NAME(cuStreamEndCapture, hipStreamEndCapture)(void* one, void** graph) {
  std::lock_guard lock(guard);
  static_cast<void>(stream_at(one, enter()));
  *graph = nullptr;
  const int code = captured.end(one);
  if (code == 0) *graph = &captured;
  return code;
}
int NAME(cuStreamIsCapturing, hipStreamIsCapturing)(void* one, int* status) {
  std::lock_guard lock(guard);
  context& here = enter();
  static_cast<void>(stream_at(one, here));
  *status = captured.status(one);
  return here.fault;
}
int NAME(cuGraphDestroy, hipGraphDestroy)(void* graph) {
  if (graph != &captured) broken("a graph that there is not");
  return 0;
}

int NAME(cuEventCreate, hipEventCreateWithFlags)(void** to, unsigned flags) {
  std::lock_guard lock(guard);
  context& here = enter();
  if (here.fault == 0) *to = events.add(std::make_shared<event>(event{here, (flags & 2) == 0}));
  return here.fault;
}
int NAME(cuEventDestroy_v2, hipEventDestroy)(void* one) {
  std::lock_guard lock(guard);
  context& here = enter();
  static_cast<void>(event_at(one, here));
  static_cast<void>(events.take(one, no_event));
  return here.fault;
}
int NAME(cuEventRecord, hipEventRecord)(void* what, void* in) {
  std::lock_guard lock(guard);
  context& here = enter();
  event& one = event_at(what, here);
  if (here.fault != 0) return here.fault;
  one.is_captured = captured.status(in) != 0;
  if (captured.status(in) == 2) return capture_code::invalidated;
  if (!one.is_captured) one.last = stream_at(in, here).mark();
  return 0;
}
int NAME(cuEventQuery, hipEventQuery)(void* what) {
  std::lock_guard lock(guard);
  context& here = enter();
  const event& one = event_at(what, here);
  if (const int code = refusal(here); code != 0) return code;
  if (one.is_captured) return capture_code::captured_event;
  return one.last == nullptr || one.last->is_over ? 0 : not_ready;
}
int NAME(cuEventElapsedTime, hipEventElapsedTime)(float* ms, void* from, void* to) {
  std::lock_guard lock(guard);
  context& here = enter();
  const event& first = event_at(from, here);
  const event& second = event_at(to, here);
  if (!first.has_time || !second.has_time) broken("the time of an event that has none");
  if (first.last == nullptr || second.last == nullptr) broken("the time of no record");
  if (here.fault != 0) return here.fault;
  if (!first.last->is_over || !second.last->is_over) return not_ready;
  *ms = static_cast<float>(second.last->ms - first.last->ms);
  return 0;
}

int NAME(cuModuleLoadData, hipModuleLoadData)(void** to, const void* image) {
  std::lock_guard lock(guard);
  const int fault = enter().fault;
  if (fault == 0)
    *to = modules.add(std::make_shared<module>(module{static_cast<const char*>(image)}));
  return fault;
}
int NAME(cuModuleGetFunction, hipModuleGetFunction)(void** to, void* of, const char* name) {
  std::lock_guard lock(guard);
  const int fault = enter().fault;
  const known_kernel* const found =
      kernel_in(modules.at(of, "a module that there is not")->source, name);
  if (fault != 0 || found == nullptr) return fault != 0 ? fault : not_found;
  *to = kernels.add(std::shared_ptr<const known_kernel>(found, [](const known_kernel*) {}));
  return 0;
}
/// Of blocks of one thread, along one axis.
int NAME(cuLaunchKernel, hipModuleLaunchKernel)(void* what, unsigned blocks_x, unsigned, unsigned,
                                                unsigned threads, unsigned, unsigned, unsigned,
                                                void* in, void** passed, void**) {
  std::lock_guard lock(guard);
  context& here = enter();
  const known_kernel& kernel = *kernels.at(what, "a kernel that there is not");
  if (blocks_x == 0 || threads != 1) return invalid_value;
  std::vector<argument_bytes> arguments;
  for (const std::size_t size : kernel.values) {
    const auto* const from = static_cast<const std::byte*>(*passed++);
    arguments.emplace_back(from, from + (size == 0 ? sizeof(void*) : size));
  }
  if (here.fault != 0) return here.fault;
  if (captured.status(in) != 0) return 0;  // in the graph, which is not launched
  stream_at(in, here).work([&here, &kernel, arguments = std::move(arguments), blocks_x] {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      std::lock_guard inner(guard);
      if (kernel.values[i] == 0 && !is_on(here, value_of<void*>(arguments[i]), 1))
        return illegal_address;
    }
    if (kernel.fails != nullptr && kernel.fails(arguments)) return illegal_address;
    for (std::size_t i = 0; i < blocks_x; ++i) kernel.run(arguments, {i, 0, 0});
    return 0;
  });
  return 0;
}

}  // extern "C"
