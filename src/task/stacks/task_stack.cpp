// SPDX-License-Identifier: BSD-3-Clause
#include "task/stacks/task_stack.hpp"

#include <boost/context/stack_context.hpp>
#include <cxxabi.h>

#include "task/checked/access_checker.hpp"

namespace plait::detail {
namespace {

/// The memory is somebody else's, who keeps it.
struct kept_memory {
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

void task_stack::exceptions_in_hand::swap_with_thread() noexcept {
  auto* threads = reinterpret_cast<exceptions_in_hand*>(abi::__cxa_get_globals());
  std::swap(caught, threads->caught);
  std::swap(uncaught, threads->uncaught);
}

boost::context::fiber task_stack::live(boost::context::fiber&& back) {
  outside_ = std::move(back);
  switches_.arrived_inside();
  while (!closing_) {
    try {
      if (checker_ == nullptr) {
        node_->act(*node_, action_);
      } else {
        checker_->run(*node_, action_);
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    ended_ = true;
    leave();
  }
  switches_.leaving_for_good();
  return std::move(outside_);
}

task_stack::task_stack(std::span<std::byte> memory) {
  boost::context::stack_context stack;
  stack.sp = memory.data() + memory.size();
  stack.size = memory.size();
  switches_.on(memory.data(), memory.size());
  inside_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), kept_memory{},
      [this](boost::context::fiber&& back) { return live(std::move(back)); });
}

task_stack::~task_stack() {
  closing_ = true;
  (void)enter();
  switches_.off();
}

void task_stack::take(task_node& node, node_action action, access_checker* checker) noexcept {
  checker_ = checker;
  node_ = &node;
  action_ = action;
  ended_ = false;
}

bool task_stack::enter() {
  exceptions_.swap_with_thread();
  switches_.entering();
  inside_ = std::move(inside_).resume();
  switches_.arrived_outside();
  exceptions_.swap_with_thread();
  return ended_;
}

void task_stack::leave() {
  switches_.leaving();
  outside_ = std::move(outside_).resume();
  switches_.arrived_inside();
}

}  // namespace plait::detail
