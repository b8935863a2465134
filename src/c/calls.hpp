// SPDX-License-Identifier: BSD-3-Clause
/// Functions that all calls of plait.h go through: who may call, and which code an exception
/// becomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "c/state.hpp"

namespace plait::c {

/// A struct of another version, whose meaning this library does not know.
class version_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// A call from the wrong place or at the wrong moment.
class state_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// A task function that has returned something else than 0.
class task_failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Says from where a call may come.
enum class from : std::uint8_t {
  program,   ///< the thread that called plait_init, outside of tasks
  to_wait,   ///< the same, while nothing is being recorded
  waiting,   ///< the same, and the failures are those of earlier tasks and messages
  anywhere,  ///< that thread, or a task
};

/// Keeps the sentence for `plait_error_text`, and returns the code.
int fail(int code, const char* text) noexcept;
/// Returns the code of the exception that is being handled, and keeps its text.  `waits`: it may be
/// that of an earlier task or message.
int failed(bool waits) noexcept;
/// The runtime that lives, or null.
[[nodiscard]] plait_runtime* living() noexcept;
void set_living(plait_runtime* one) noexcept;
/// Returns the number of the runtime that lives, which no other one of the process has had; 0 if
/// there is none.  Any thread.
[[nodiscard]] std::uint64_t number_of_living() noexcept;
/// Errors: state_error unless the runtime lives and the call comes from there.
void expect(plait_runtime* rt, const char* function, from where);

/// Runs `body`, and returns the code.
template <class Body>
int call(plait_runtime* rt, const char* function, from where, const Body& body) noexcept {
  try {
    expect(rt, function, where);
  } catch (...) {
    return failed(false);
  }
  try {
    body();
    return PLAIT_SUCCESS;
  } catch (...) {
    return failed(where == from::waiting);
  }
}

/// Errors: usage_error with the function's name for a null pointer.
void expect_given(const void* pointer, const char* function, const char* what);

/// Copies a struct of the program's, of its version, into this library's.
void read_struct(void* into, std::size_t own_bytes, const void* given, const char* name);
/// Returns the struct in this library's version: members that the program's lacks are 0.  Null: all
/// are.  Errors: version_error for members that this library does not know, unless they are 0.
template <class T>
[[nodiscard]] T own_version(const T* given, const char* name) {
  static_assert(std::is_trivially_copyable_v<T>);
  T own{};
  own.struct_size = sizeof(T);
  if (given != nullptr) read_struct(&own, sizeof own, given, name);
  return own;
}

/// Returns the memory in plait's form.  An axis of zeros is not used.  Errors: usage_error.
[[nodiscard]] strided_bytes box_of(const plait_memory& memory);
/// Returns the bytes of memory without axes.  Errors: usage_error for a box.
[[nodiscard]] byte_range range_of(const plait_memory& memory, const char* name);
/// Errors: usage_error for a mode that does not exist, and those of `box_of`.
[[nodiscard]] data_access access_of(const plait_access& one);
/// Returns a communicator; of null all ranks.
[[nodiscard]] communicator among_of(const plait_comm* among);
/// Errors: usage_error for null.
[[nodiscard]] task_name name_of(const char* name);

}  // namespace plait::c
