// SPDX-License-Identifier: BSD-3-Clause
#include "python/tasks.hpp"

#include <array>
#include <bit>
#include <memory>
#include <utility>

namespace plait_python {
namespace {

bool writes(int mode) noexcept {
  return mode != PLAIT_IN;
}

/// Adds an access of the closure.
const array_view& add_access(task_closure& to, const access& one,
                             std::vector<plait_access>& accesses) {
  const array_view& view = to.views.emplace_back(one.array, writes(one.mode));
  const plait_memory memory = view.memory(false);
  if (memory.row_bytes > 0) accesses.push_back(plait_access_of(memory, one.mode));
  return view;
}

/// Appends an array, its shape and its strides, and describes its type: "af8.2.C".
void add_words(task_closure& to, const array_view& view, std::string& types) {
  if (view.type().empty()) throw nb::type_error("a kernel takes arrays of numbers");
  const bool is_contiguous = view.is_contiguous();
  types += 'a' + view.type() + '.' + std::to_string(view.shape().size()) +
           (is_contiguous ? ".C" : ".A") + ' ';
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
  nb::object raised = nb::steal(value);
  if (!exception_.is_valid()) exception_ = std::move(raised);
}

kernel::compiled kernel::for_types(const std::string& types) {
  const auto known = known_.find(types);
  if (known != known_.end()) return known->second;
  const auto address = nb::cast<std::uintptr_t>(compile_(types));
  return known_[types] = reinterpret_cast<compiled>(address);
}

discarded<task_closure>& closures_to_delete() noexcept {
  static discarded<task_closure> all;
  return all;
}

task_closure* make_closure(nb::handle function, const nb::args& arguments, nb::handle also,
                           first_exception& failures, std::vector<plait_access>& accesses) {
  auto made = std::make_unique<task_closure>();
  made->failures = &failures;
  made->views.reserve(arguments.size());
  kernel* compiled = nullptr;
  const bool is_kernel = nb::try_cast<kernel*>(function, compiled) && compiled != nullptr;
  std::string types;
  nb::object passed = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  Py_ssize_t at = 0;
  for (nb::handle argument : arguments) {
    access* named = nullptr;
    const bool is_access = nb::try_cast<access*>(argument, named) && named != nullptr;
    if (is_access) {
      const array_view& view = add_access(*made, *named, accesses);
      if (is_kernel) add_words(*made, view, types);
    } else if (is_kernel) {
      add_number(*made, argument, types);
    }
    nb::object item = is_access ? named->array : nb::borrow(argument);
    PyTuple_SET_ITEM(passed.ptr(), at++, item.release().ptr());
  }
  if (also.is_valid() && !also.is_none()) {
    for (nb::handle one : also) (void)add_access(*made, nb::cast<access&>(one), accesses);
  }
  if (is_kernel) {
    made->compiled = compiled->for_types(types);
    made->function = compiled->function();
  } else {
    if (PyCallable_Check(function.ptr()) == 0) throw nb::type_error("a task needs a function");
    made->function = nb::borrow(function);
    made->arguments = nb::borrow<nb::tuple>(passed);
  }
  return made.release();
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

void discard_closure(void* closure) {
  closures_to_delete().add(static_cast<task_closure*>(closure));
}

}  // namespace plait_python
