// SPDX-License-Identifier: BSD-3-Clause
/// Tasks whose functions are Python's, or kernels that run without the interpreter.
#pragma once

#include <cstdint>
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

/// A task's function and all that it holds until the task is over.
struct task_closure {
  nb::object function;
  nb::tuple arguments;
  std::vector<array_view> views;
  first_exception* failures = nullptr;
  kernel::compiled compiled = nullptr;
  std::vector<std::int64_t> words;  ///< of a kernel
  task_closure* next_discarded = nullptr;
};

/// Returns the list of those that are over.
[[nodiscard]] discarded<task_closure>& closures_to_delete() noexcept;

/// Returns a closure and adds its accesses.  `also`: accesses that the function is not called with.
/// Errors: those of `array_view`; TypeError for an array that is no access, in a kernel.
[[nodiscard]] task_closure* make_closure(nb::handle function, const nb::args& arguments,
                                         nb::handle also, first_exception& failures,
                                         std::vector<plait_access>& accesses);

/// `run` and `release` of a closure, for plait.
int run_python(void* closure);
int run_kernel(void* closure);
void discard_closure(void* closure);

}  // namespace plait_python
