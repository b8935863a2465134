// SPDX-License-Identifier: BSD-3-Clause
#include "c/calls.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include <plait/comm/token.hpp>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/task/access_error.hpp>

namespace plait::c {
namespace {

/// This thread's last sentence.  Its buffer is kept for the next, and is not in the static block of
/// threads, which is small for libraries that are loaded.
struct sentence {
  static constexpr std::size_t longest = 1023;
  std::unique_ptr<char[]> buffer;
  const char* text = "";
};
thread_local constinit sentence last;

std::atomic<plait_runtime*> the_living{nullptr};
std::atomic<std::uint64_t> the_number{0};

[[nodiscard]] int code_of_exception(bool waits) {
  try {
    throw;
  } catch (const version_error&) {
    return PLAIT_ERR_VERSION;
  } catch (const state_error&) {
    return PLAIT_ERR_STATE;
  } catch (const task_failure&) {
    return PLAIT_ERR_TASK;
  } catch (const access_error&) {
    return PLAIT_ERR_TASK;
  } catch (const usage_error&) {
    return waits ? PLAIT_ERR_MPI : PLAIT_ERR_USAGE;  // ranks that named different sizes
  } catch (const error&) {
    return PLAIT_ERR_MPI;
  } catch (const std::bad_alloc&) {
    return PLAIT_ERR_MEMORY;
  } catch (...) {
    return waits ? PLAIT_ERR_TASK : PLAIT_ERR_INTERNAL;  // a task of C++
  }
}

}  // namespace

int fail(int code, const char* text) noexcept {
  if (last.buffer == nullptr) last.buffer.reset(new (std::nothrow) char[sentence::longest + 1]);
  last.text = last.buffer != nullptr ? last.buffer.get() : "there is no memory to say what failed";
  if (last.buffer == nullptr) return code;
  const std::size_t length = std::min(std::strlen(text), sentence::longest);
  std::memmove(last.buffer.get(), text, length);  // it may be the last one itself
  last.buffer[length] = '\0';
  return code;
}

int failed(bool waits) noexcept {
  try {
    const int code = code_of_exception(waits);
    return fail(code, exception_text(std::current_exception()).c_str());
  } catch (...) {
    return fail(PLAIT_ERR_MEMORY, "no memory to say what has failed");
  }
}

plait_runtime* living() noexcept {
  return the_living.load(std::memory_order_acquire);
}

void set_living(plait_runtime* one) noexcept {
  static std::atomic<std::uint64_t> made{0};
  the_living.store(one, std::memory_order_release);
  the_number.store(one != nullptr ? ++made : 0, std::memory_order_release);
}

std::uint64_t number_of_living() noexcept {
  return the_number.load(std::memory_order_acquire);
}

void expect(plait_runtime* rt, const char* function, from where) {
  const auto refuse = [function](const char* why) {
    throw state_error(std::string(function) + why);
  };
  if (rt == nullptr) refuse(": there is no runtime");
  if (rt != living()) refuse(": the runtime has ended");
  if (mpi_token::any_held_here()) refuse(" between plait_mpi_begin and plait_mpi_end");
  submitter& to = rt->to();
  if (to.in_program()) {
    const bool no_recording = where == from::to_wait || where == from::waiting;
    if (no_recording && to.recording()) refuse(" between plait_record_begin and plait_record_end");
    return;
  }
  if (where == from::anywhere && to.in_task()) return;
  if (to.in_task()) refuse(" in a task: what a task submits is finished before the task is");
  refuse(where == from::anywhere
             ? " by another thread than the one that called plait_init, outside of tasks"
             : " by another thread than the one that called plait_init");
}

void expect_given(const void* pointer, const char* function, const char* what) {
  if (pointer == nullptr)
    throw usage_error(std::string(function) + ": the " + what + " is a null pointer");
}

void read_struct(void* into, std::size_t own_bytes, const void* given, const char* name) {
  constexpr std::size_t largest = 4096;
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < sizeof size || size > largest) {
    throw version_error(std::string(name) + ": struct_size is " + std::to_string(size) +
                        "; begin with the macro that ends in _INIT");
  }
  const auto* const bytes = static_cast<const std::byte*>(given);
  const std::size_t known = std::min(size, own_bytes);
  if (std::any_of(bytes + known, bytes + size, [](std::byte b) { return b != std::byte{0}; })) {
    throw version_error(std::string(name) +
                        ": it sets what this version of plait does not know; its header is newer "
                        "than the library");
  }
  std::memcpy(static_cast<std::byte*>(into) + sizeof size, bytes + sizeof size,
              known - sizeof size);
}

namespace {

/// Returns false where each axis is unused or has one row: such memory is a range.
[[nodiscard]] bool has_axes(const plait_memory& memory) noexcept {
  std::int64_t differs = 0;  // without a branch for each axis: every access is asked
  for (const plait_axis& one : memory.axes) differs |= (one.rows & ~std::int64_t{1}) | one.stride;
  return differs != 0;
}

void expect_begin(const plait_memory& memory) {
  if (memory.begin == nullptr) throw usage_error("memory begins at a null pointer");
}

[[nodiscard]] strided_bytes box_with_axes(const plait_memory& memory) {
  static_assert(strided_bytes::most_axes == PLAIT_AXES);
  strided_bytes box{.begin = reinterpret_cast<std::uintptr_t>(memory.begin),
                    .row_bytes = memory.row_bytes};
  bool empty = memory.row_bytes == 0;
  for (std::size_t k = 0; k < PLAIT_AXES; ++k) {
    const plait_axis& one = memory.axes[k];
    if (one.rows == 0 && one.stride == 0) continue;
    if (one.rows < 0) {
      throw usage_error("memory has " + std::to_string(one.rows) + " rows along axis " +
                        std::to_string(k));
    }
    if (one.rows == 0) empty = true;
    box.axes[k] = {one.rows, one.stride};
  }
  if (empty) return {.begin = box.begin};
  expect_begin(memory);
  return box;
}

}  // namespace

strided_bytes box_of(const plait_memory& memory) {
  if (has_axes(memory)) return box_with_axes(memory);
  if (memory.row_bytes > 0) expect_begin(memory);
  return {.begin = reinterpret_cast<std::uintptr_t>(memory.begin), .row_bytes = memory.row_bytes};
}

byte_range range_of(const plait_memory& memory, const char* name) {
  const strided_bytes box = box_of(memory);
  if (!box.is_range()) {
    throw usage_error(std::string("'") + name + "' takes contiguous memory, and this is a box of " +
                      to_string(box));
  }
  return box.hull();
}

data_access access_of(const plait_access& one) {
  switch (one.mode) {
    case PLAIT_IN:
    case PLAIT_OUT:
    case PLAIT_INOUT:
    case PLAIT_COMMUTATIVE:
      return {box_of(one.memory), static_cast<access_mode>(one.mode)};
    default:
      throw usage_error("an access has mode " + std::to_string(one.mode) +
                        "; plait_in, plait_out, plait_inout and plait_commutative make one");
  }
}

communicator among_of(const plait_comm* among) {
  return among == nullptr ? communicator() : among->among;
}

task_name name_of(const char* name) {
  if (name == nullptr) throw usage_error("the name is a null pointer");
  return task_name::of(name);
}

namespace {

/// Asks MPI about a type while no thread of plait's calls MPI.
[[nodiscard]] strided_bytes memory_by_mpi(const void* buffer, int count, MPI_Datatype type) {
  plait_runtime* const rt = living();
  if (rt == nullptr || mpi_token::any_held_here()) return memory_of(buffer, count, type);
  if (rt->to().in_program() || rt->to().in_task()) {
    const mpi_token_guard guard(rt->env.token());
    return memory_of(buffer, count, type);
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) {
    throw state_error(
        "plait_memory_of by another thread than the one that called plait_init, outside of tasks, "
        "below MPI_THREAD_MULTIPLE");
  }
  return memory_of(buffer, count, type);
}

}  // namespace
}  // namespace plait::c

using plait::c::last;

const char* plait_error_text(void) {
  return last.text;
}

int plait_version(int* major, int* minor, int* patch) {
  if (major != nullptr) *major = PLAIT_VERSION_MAJOR;
  if (minor != nullptr) *minor = PLAIT_VERSION_MINOR;
  if (patch != nullptr) *patch = PLAIT_VERSION_PATCH;
  return PLAIT_SUCCESS;
}

const char* plait_intern(const char* text) {
  try {
    plait::c::expect_given(text, "plait_intern", "text");
    return plait::task_name::intern(text).c_str();
  } catch (...) {
    (void)plait::c::failed(false);
    return nullptr;
  }
}

int plait_memory_of(const void* buffer, int count, MPI_Datatype type, plait_memory* made) {
  try {
    plait::c::expect_given(made, "plait_memory_of", "place for the memory");
    const plait::strided_bytes box = plait::c::memory_by_mpi(buffer, count, type);
    *made = plait_bytes(reinterpret_cast<const void*>(box.begin), box.row_bytes);
    for (std::size_t k = 0; k < PLAIT_AXES; ++k)
      made->axes[k] = {box.axes[k].rows, box.axes[k].stride};
    return PLAIT_SUCCESS;
  } catch (...) {
    return plait::c::failed(false);
  }
}
