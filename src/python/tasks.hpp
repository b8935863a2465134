// SPDX-License-Identifier: BSD-3-Clause
/// Tasks whose functions are Python's, or kernels that run without the interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <plait/plait.h>

#include "python/arrays.hpp"
#include "python/interpreter.hpp"

namespace plait_python {

/// `in_(array)` and the others: an array and what a task does to it.
struct access {
  nb::object array;
  int mode;
};

/// The first exception of a task since it was raised.  Holder of the interpreter's lock.
class first_exception {
 public:
  /// Takes the exception that is set.
  void keep_current();
  void keep(nb::object raised) {
    if (!exception_.is_valid()) exception_ = std::move(raised);
  }
  /// Returns it, or null, and forgets it.
  [[nodiscard]] nb::object take() noexcept { return std::exchange(exception_, nb::object()); }

 private:
  nb::object exception_;
};

/// A function that numba has compiled for each combination of types that it was called with.
class kernel {
 public:
  kernel(nb::object function, nb::object compile)
      : function_(std::move(function)), compile_(std::move(compile)) {}
  using compiled = void (*)(const std::int64_t* words);
  /// Returns the function for these types; `compile(types)` returns its address where it is new.
  [[nodiscard]] compiled for_types(const std::string& types);
  [[nodiscard]] const nb::object& function() const noexcept { return function_; }

 private:
  nb::object function_;
  nb::object compile_;
  std::unordered_map<std::string, compiled> known_;
};

/// A task's function and all that it holds until the task is over.  Cleared it keeps its room.
struct task_closure {
  void clear() noexcept {
    function.reset();
    arguments.reset();
    held.clear();
    requests.clear();
    compiled = nullptr;
    words.clear();
    accesses.clear();
  }
  /// Adds an access, and holds its memory.
  void touch(array_view&& view, int mode);

  nb::object function;
  nb::object arguments;  ///< a tuple
  std::vector<held_memory> held;
  std::vector<nb::object> requests;  ///< that finish the task
  first_exception* failures = nullptr;
  kernel::compiled compiled = nullptr;
  std::vector<std::int64_t> words;  ///< of a kernel
  std::vector<plait_access> accesses;
  task_closure* next_discarded = nullptr;
};

/// Returns those that are over.
[[nodiscard]] discarded<task_closure>& closures() noexcept;
/// Puts one there.
struct discard {
  void operator()(task_closure* one) const noexcept { closures().add(one); }
};
using owned_closure = std::unique_ptr<task_closure, discard>;
/// Returns an empty one.
[[nodiscard]] owned_closure new_closure();

/// Returns a closure with its accesses.  `also`: accesses that the function is not called with.
/// Errors: those of `array_view`; TypeError for an array that is no access, in a kernel.
[[nodiscard]] owned_closure make_closure(nb::handle function, const nb::tuple& arguments,
                                         nb::handle also, first_exception& failures);
/// Returns the call of a task with this closure, which the caller submits and then releases.
[[nodiscard]] plait_call call_of(const task_closure& closure, const char* name);

}  // namespace plait_python
