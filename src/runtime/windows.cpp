// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of a window.
#include <exception>
#include <memory>
#include <string>

#include <plait/comm/exposed_memory.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/window.hpp>

#include "runtime/runtime_state.hpp"

namespace plait {
namespace {

void wait_for_all_ranks(runtime_state& s) {
  arrival all(s.env, s.messages);
  s.tasks.work_until([&] { return all.is_over() || s.tasks.failed(); });
  if (!all.is_over()) s.tasks.wait();  // gives it up, and rethrows the failure
  if (!all.was_given_up()) return;
  s.expect_communication();
  throw error("window: MPI failed while this rank waited for the others");
}

}  // namespace

std::shared_ptr<exposed_memory> submitter::expose(const window_part& part,
                                                  const window_options& options) {
  runtime_state& s = state_;
  if (s.tasks.in_task() || s.tasks.recording()) {
    throw usage_error(std::string("window: it is made by the program, not in a ") +
                      (s.tasks.recording() ? "recording" : "task"));
  }
  if (s.checked) {
    throw usage_error("window: not in checked mode, which closes memory that other ranks may read");
  }
  s.expect_communication();
  wait_for_all_ranks(s);
  auto made = std::make_shared<exposed_memory>(s.env, s.messages, part, options);
  if (s.kept != nullptr) s.kept->add_window(made->chosen());
  return made;
}

void submitter::end(exposed_memory& memory) {
  runtime_state& s = state_;
  if (std::uncaught_exceptions() > 0 && !s.messages.cancelled()) {
    s.tasks.fail(std::make_exception_ptr(error("a window was left by an exception")));
    try {
      s.tasks.wait();  // gives up what is in flight
    } catch (...) {    // of a task: the other exception is what the program sees
    }
  }
  bool all_are_here = false;
  if (!s.messages.cancelled()) {  // or other ranks may never come
    try {
      s.tasks.wait();
      wait_for_all_ranks(s);
      all_are_here = true;
    } catch (...) {  // the next `wait` shall throw it, not a destructor
      s.tasks.fail(std::current_exception());
    }
  }
  memory.end(all_are_here);
}

detail::window_lease::~window_lease() {
  if (memory_ != nullptr) owner_->end(*memory_);
}

}  // namespace plait
