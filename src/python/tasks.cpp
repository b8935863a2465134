// SPDX-License-Identifier: BSD-3-Clause
#include "python/tasks.hpp"

#include <array>
#include <bit>
#include <memory>
#include <utility>

namespace plait_python {
namespace {

array_view view_of(const access& one) {
  return {one.array, one.mode != PLAIT_IN};
}

/// Returns what an argument names, or null for one that is no access.
const access* access_or_null(nb::handle argument) {
  access* named = nullptr;
  return nb::try_cast<access*>(argument, named) ? named : nullptr;
}

/// Appends an array, its shape and its strides, and describes its type: "af8.2.C".
void add_words(task_closure& to, const array_view& view, std::string& types) {
  if (view.type().empty()) throw nb::type_error("a kernel takes arrays of numbers");
  types += 'a';
  types += view.type();
  types += '.';
  types += std::to_string(view.shape().size());
  types += view.is_contiguous() ? ".C " : ".A ";
  to.words.push_back(std::bit_cast<std::int64_t>(view.begin()));
  to.words.insert(to.words.end(), view.shape().begin(), view.shape().end());
  to.words.insert(to.words.end(), view.strides().begin(), view.strides().end());
}

/// Appends a number, and describes its type: "f".
void add_number(task_closure& to, nb::handle number, std::string& types) {
  if (PyBool_Check(number.ptr())) {
    types += "b ";
    to.words.push_back(number.ptr() == Py_True ? 1 : 0);
  } else if (PyFloat_Check(number.ptr())) {
    types += "f ";
    to.words.push_back(std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(number.ptr())));
  } else if (PySequence_Check(number.ptr()) == 0 && PyIndex_Check(number.ptr()) != 0) {
    types += "i ";
    to.words.push_back(nb::cast<std::int64_t>(number));
  } else if (PyNumber_Check(number.ptr()) != 0 && PySequence_Check(number.ptr()) == 0) {
    types += "f ";
    to.words.push_back(std::bit_cast<std::int64_t>(nb::cast<double>(nb::float_(number))));
  } else {
    throw nb::type_error(
        "a kernel takes numbers, and arrays named by in_, out, inout, commutative");
  }
}

}  // namespace

void first_exception::keep_current() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  keep(nb::steal(value));
}

kernel::compiled kernel::for_types(const std::string& types) {
  const auto known = known_.find(types);
  if (known != known_.end()) return known->second;
  const auto address = nb::cast<std::uintptr_t>(compile_(types));
  return known_[types] = reinterpret_cast<compiled>(address);
}

void task_closure::touch(array_view&& view, int mode) {
  const plait_memory memory = view.memory(false);
  if (memory.row_bytes > 0) accesses.push_back(plait_access_of(memory, mode));
  held.push_back(view.give_away());
}

discarded<task_closure>& closures() noexcept {
  static discarded<task_closure> all;
  return all;
}

owned_closure new_closure() {
  return owned_closure(closures().take());
}

namespace {

/// Adds arrays and numbers of a kernel, and returns their types.
std::string add_to_kernel(task_closure& to, const nb::tuple& arguments) {
  std::string types;
  for (nb::handle argument : arguments) {
    const access* const named = access_or_null(argument);
    if (named == nullptr) {
      add_number(to, argument, types);
      continue;
    }
    array_view view = view_of(*named);
    add_words(to, view, types);
    to.touch(std::move(view), named->mode);
  }
  return types;
}

/// Adds what a function of Python is called with.
void add_to_function(task_closure& to, const nb::tuple& arguments) {
  to.arguments = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  Py_ssize_t at = 0;
  for (nb::handle argument : arguments) {
    const access* const named = access_or_null(argument);
    if (named != nullptr) to.touch(view_of(*named), named->mode);
    nb::object item = named != nullptr ? named->array : nb::borrow(argument);
    PyTuple_SET_ITEM(to.arguments.ptr(), at++, item.release().ptr());
  }
}

int run_python(void* closure) {
  auto& task = *static_cast<task_closure*>(closure);
  const lock_of_task lock;
  PyObject* const result = PyObject_Call(task.function.ptr(), task.arguments.ptr(), nullptr);
  if (result == nullptr) {
    task.failures->keep_current();
    return 1;
  }
  Py_DECREF(result);
  return 0;
}

int run_kernel(void* closure) {
  const auto& task = *static_cast<task_closure*>(closure);
  task.compiled(task.words.data());
  return 0;
}

int run_nothing(void*) {
  return 0;
}

}  // namespace

owned_closure make_closure(nb::handle function, const nb::tuple& arguments, nb::handle also,
                           first_exception& failures) {
  owned_closure made = new_closure();
  made->failures = &failures;
  kernel* compiled = nullptr;
  if (nb::try_cast<kernel*>(function, compiled) && compiled != nullptr) {
    made->compiled = compiled->for_types(add_to_kernel(*made, arguments));
    made->function = compiled->function();
  } else {
    if (PyCallable_Check(function.ptr()) == 0) throw nb::type_error("a task needs a function");
    add_to_function(*made, arguments);
    made->function = nb::borrow(function);
  }
  if (also.is_valid() && !also.is_none()) {
    for (nb::handle one : also) {
      const auto& named = nb::cast<const access&>(one);
      made->touch(view_of(named), named.mode);
    }
  }
  return made;
}

plait_call call_of(const task_closure& closure, const char* name) {
  plait_call call = PLAIT_CALL_INIT;
  call.name = name;
  call.run = closure.compiled != nullptr   ? &run_kernel
             : closure.function.is_valid() ? &run_python
                                           : &run_nothing;
  call.argument = &closure;
  call.release = [](void* one) { discard()(static_cast<task_closure*>(one)); };
  call.accesses = closure.accesses.data();
  call.access_count = closure.accesses.size();
  return call;
}

}  // namespace plait_python
