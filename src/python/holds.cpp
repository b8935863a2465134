// SPDX-License-Identifier: BSD-3-Clause
#include "python/holds.hpp"

#include "python/runtime.hpp"

namespace plait_python {

task_hold::~task_hold() {
  if (hold_ == nullptr) return;
  (void)plait_hold_fail(&hold_, "its hold was dropped, neither released nor failed");
}

void task_hold::release() {
  check(plait_hold_release(&hold_));
}

void task_hold::fail(nb::object why) {
  if (hold_ != nullptr && PyExceptionInstance_Check(why.ptr()) != 0) of_->failures->keep(why);
  const nb::str text(why);
  check(plait_hold_fail(&hold_, text.c_str()));
}

task_hold task_hold::another() const {
  plait_hold* made = nullptr;
  check(plait_hold_another(hold_, &made));
  return {made, *of_};
}

void task_hold::finish_with(nb::object request) {
  const int handle = nb::cast<int>(request.attr("py2f")());
  if (hold_ != nullptr) of_->requests.push_back(std::move(request));  // it holds the buffers
  check(plait_finish_with_f(&hold_, handle));
}

int run_held(void* closure, plait_hold* until) {
  auto& task = *static_cast<task_closure*>(closure);
  const lock_of_task lock;
  task_hold* hold = nullptr;
  nb::object owner;
  try {
    task.requests.clear();  // of the iteration before
    owner = nb::cast(task_hold(std::exchange(until, nullptr), task));
    hold = nb::inst_ptr<task_hold>(owner);
    const nb::tuple last = nb::make_tuple(owner);
    const nb::object all = nb::steal(PySequence_Concat(task.arguments.ptr(), last.ptr()));
    if (all.is_valid()) {
      const nb::object result = nb::steal(PyObject_Call(task.function.ptr(), all.ptr(), nullptr));
      if (result.is_valid()) return 0;
    }
    task.failures->keep_current();
  } catch (nb::python_error& failure) {
    failure.restore();
    task.failures->keep_current();
  } catch (const std::exception&) {
    if (until != nullptr) (void)plait_hold_release(&until);
  }
  if (hold != nullptr) hold->let_go();  // the exception's traceback still has a name for it
  return 1;
}

}  // namespace plait_python
