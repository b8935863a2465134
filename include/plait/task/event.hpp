// SPDX-License-Identifier: BSD-3-Clause
/// A handle of a task's future result.
#pragma once

#include <plait/core/cxx20.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace plait {

class scheduler;

namespace detail {

/// Shared by a task and those who wait for its result.
class completion {
 public:
  enum class state : std::uint8_t { pending, done, dropped };

  explicit completion(scheduler& owner) noexcept : owner_(&owner) {}
  [[nodiscard]] state now() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Any thread, once.
  void end_as(state how) noexcept;
  /// The submitting thread: works until it has ended.  Errors: what `scheduler::wait` rethrows;
  /// `error` when the task failed or was dropped and that has been rethrown before.
  void await() const;

 private:
  scheduler* owner_;
  std::atomic<state> state_{state::pending};
};

template <class Result>
struct result_state : completion {
  using completion::completion;
  std::optional<Result> value;
};
template <>
struct result_state<void> : completion {
  using completion::completion;
};

}  // namespace detail

/// The end of one task, and what its function returned.  Made by `submission::result`.  Copies mean
/// the same task.  Belongs to the thread that submits; may outlive the task, and once it is `done`,
/// the scheduler.
template <class Result>
class event {
 public:
  explicit event(std::shared_ptr<detail::result_state<Result>> state) noexcept
      : state_(std::move(state)) {}

  /// Returns whether `get` would return at once.  Any thread.
  [[nodiscard]] bool done() const noexcept {
    return state_->now() == detail::completion::state::done;
  }
  /// Returns whether the task has failed, or was dropped after a failure: then `get` throws.  Any
  /// thread.
  [[nodiscard]] bool dropped() const noexcept {
    return state_->now() == detail::completion::state::dropped;
  }
  /// Works until the task has finished.  Not inside a task.  Errors: if a task has failed
  /// meanwhile, as `wait`.
  std::add_lvalue_reference_t<const Result> get() const;

 private:
  std::shared_ptr<detail::result_state<Result>> state_;
};

template <class Result>
std::add_lvalue_reference_t<const Result> event<Result>::get() const {
  state_->await();
  if constexpr (!std::is_void_v<Result>) return *state_->value;
}

}  // namespace plait
