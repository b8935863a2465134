// SPDX-License-Identifier: BSD-3-Clause
#include "python/holds.hpp"

#include "python/runtime.hpp"

namespace plait_python {

task_hold::~task_hold() {
  if (hold_ != nullptr)
    fail_with(nb::object(), "its hold was dropped, neither released nor failed");
}

void task_hold::release() {
  check(plait_hold_release(&hold_));
}

void task_hold::fail(nb::object why) {
  const nb::str text(why);  // may run code of the program's
  const char* const words = PyUnicode_AsUTF8(text.ptr());
  if (words == nullptr) throw nb::python_error();
  check(
      fail_with(PyExceptionInstance_Check(why.ptr()) != 0 ? std::move(why) : nb::object(), words));
}

int task_hold::fail_with(nb::object raised, const char* why) {
  if (hold_ != nullptr)  // else another failure would be told by this one's exception
    of_->failures->keep(raised.is_valid() ? std::move(raised) : exception_of(PLAIT_ERR_TASK, why));
  return plait_hold_fail(&hold_, why);
}

task_hold task_hold::another() const {
  plait_hold* made = nullptr;
  check(plait_hold_another(hold_, &made));
  return {made, *of_};
}

void task_hold::finish_with(nb::object request) {
  const int handle = nb::cast<int>(request.attr("py2f")());
  plait_hold* own = std::exchange(hold_, nullptr);
  if (own != nullptr) of_->requests.push_back(std::move(request));  // it holds the buffers
  int code = PLAIT_SUCCESS;
  {
    const without_lock away;  // plait may wait for a thread that is in MPI and wants the lock
    code = plait_finish_with_f(&own, handle);
  }
  if (own != nullptr) hold_ = own;
  check(code);
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
