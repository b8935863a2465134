// SPDX-License-Identifier: BSD-3-Clause
#include "task/stacks/task_stack.hpp"

#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cxxabi.h>

#include "task/checked/access_checker.hpp"
#include "task/stacks/sanitized_switch.hpp"

namespace plait::detail {
namespace {

/// The exceptions a thread is handling, which the C++ runtime keeps for each thread (Itanium C++
/// ABI, 2.2.2): a task takes its own along when it is suspended inside a catch block.
struct exceptions_in_hand {
  void* caught = nullptr;
  unsigned int uncaught = 0;

  void swap_with_thread() noexcept {
    auto* threads = reinterpret_cast<exceptions_in_hand*>(abi::__cxa_get_globals());
    std::swap(caught, threads->caught);
    std::swap(uncaught, threads->uncaught);
  }
};

/// The memory is somebody else's, who keeps it.
struct kept_memory {
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

struct task_stack::context {
  boost::context::fiber inside;   ///< the task, while it is not running
  boost::context::fiber outside;  ///< whoever entered
  exceptions_in_hand exceptions;
  sanitized_switch switches;
  task_node* node = nullptr;
  node_action action = node_action::run;
  access_checker* checker = nullptr;
  bool ended = false;
  bool closing = false;
  std::exception_ptr failure;

  [[nodiscard]] boost::context::fiber live(boost::context::fiber&& back) {
    outside = std::move(back);
    switches.arrived_inside();
    while (!closing) {
      try {
        if (checker == nullptr) {
          node->act(*node, action);
        } else {
          checker->run(*node, action);
        }
      } catch (...) {
        failure = std::current_exception();
      }
      ended = true;
      leave();
    }
    switches.leaving_for_good();
    return std::move(outside);
  }

  void enter() {
    exceptions.swap_with_thread();
    switches.entering();
    inside = std::move(inside).resume();
    switches.arrived_outside();
    exceptions.swap_with_thread();
  }

  void leave() {
    switches.leaving();
    outside = std::move(outside).resume();
    switches.arrived_inside();
  }
};

task_stack::task_stack(std::span<std::byte> memory) : context_(std::make_unique<context>()) {
  boost::context::stack_context stack;
  stack.sp = memory.data() + memory.size();
  stack.size = memory.size();
  context_->switches.on(memory.data(), memory.size());
  context_->inside = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), kept_memory{},
      [self = context_.get()](boost::context::fiber&& back) {
        return self->live(std::move(back));
      });
}

task_stack::~task_stack() {
  context_->closing = true;
  context_->ended = true;
  context_->enter();
  context_->switches.off();
}

void task_stack::take(task_node& node, node_action action, access_checker* checker) noexcept {
  context_->checker = checker;
  context_->node = &node;
  context_->action = action;
  context_->ended = false;
}

bool task_stack::enter() {
  context_->enter();
  return context_->ended;
}

void task_stack::leave() {
  context_->leave();
}

std::exception_ptr task_stack::take_failure() noexcept {
  return std::exchange(context_->failure, nullptr);
}

}  // namespace plait::detail
