// SPDX-License-Identifier: BSD-3-Clause
/// A function with its arguments, as a node keeps it until it runs.
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/event.hpp>
#include <plait/task/hold.hpp>
#include <plait/task/reduction.hpp>

namespace plait::detail {

template <class T>
inline constexpr bool is_access_tuple = false;
template <class... A>
inline constexpr bool is_access_tuple<std::tuple<A...>> = (is_access<A> && ...);

/// Accesses stay tuples of accesses; anything else becomes a tuple of one copied value.
template <class Argument>
[[nodiscard]] auto stored_argument(Argument&& argument) {
  if constexpr (is_access_tuple<std::remove_cvref_t<Argument>>) {
    return argument;
  } else {
    static_assert(std::is_constructible_v<std::decay_t<Argument>, Argument>,
                  "an argument without an access is copied into the task, and this one cannot be "
                  "copied: name it in an access, such as inout(x)");
    return std::tuple<std::decay_t<Argument>>(std::forward<Argument>(argument));
  }
}

/// Returns the argument that the function gets, or the task's own copy of it.
template <class Stored>
[[nodiscard]] decltype(auto) passed_argument(Stored& stored) {
  if constexpr (is_reduction<Stored>) {
    return private_copy(stored);
  } else if constexpr (std::is_same_v<Stored, held_word>) {
    return hold::of_calling_task();
  } else if constexpr (is_access<Stored>) {
    return stored.argument();
  } else {
    return static_cast<Stored&&>(stored);
  }
}

template <class Passed>
[[nodiscard]] decltype(auto) own_argument(Passed&& passed) {
  if constexpr (is_private_copy<std::remove_cvref_t<Passed>>) {
    return passed.argument();
  } else {
    return static_cast<Passed&&>(passed);
  }
}

/// A function with its arguments.
template <class Function, class... Stored>
struct bound_call {
  Function function;
  std::tuple<Stored...> arguments;

  static constexpr bool repeatable = (std::is_copy_constructible_v<Stored> && ...);

  decltype(auto) run() { return call_with(arguments); }

  void run_again() {
    if constexpr (repeatable) {
      auto copies = arguments;
      call_with(copies);
    }
  }

  decltype(auto) call_with(std::tuple<Stored...>& with) {
    static_assert(!(std::is_same_v<Stored, held_word> || ...) || !(is_reduction<Stored> || ...),
                  "a task that others finish cannot reduce: its part is added when its function "
                  "returns; name the data commutative");
    return std::apply(
        [this](auto&... one) -> decltype(auto) {
          constexpr bool takes_them =
              std::is_invocable_v<Function&, decltype(own_argument(passed_argument(one)))...>;
          static_assert(takes_them,
                        "the task's function does not take what the accesses pass: in() passes "
                        "const, out() and inout() pass mutable, other arguments are passed by "
                        "value");
          if constexpr (!takes_them) {
            return;  // no second error
          } else if constexpr ((is_reduction<Stored> || ...)) {
            return call_and_combine(passed_argument(one)...);
          } else {
            return std::invoke(function, passed_argument(one)...);
          }
        },
        with);
  }

  decltype(auto) call_and_combine(auto&&... passed) {
    const auto combine = []<class Passed>(Passed& one) {
      if constexpr (is_private_copy<Passed>) one.combine();
    };
    using result = decltype(std::invoke(function, own_argument(passed)...));
    if constexpr (std::is_void_v<result>) {
      std::invoke(function, own_argument(passed)...);
      (combine(passed), ...);
    } else {
      result value = std::invoke(function, own_argument(passed)...);
      (combine(passed), ...);
      return value;
    }
  }
};
/// For compilers that do not deduce an aggregate's arguments: clang before 17.
template <class Function, class... Stored>
bound_call(Function, std::tuple<Stored...>) -> bound_call<Function, Stored...>;

/// A call with a result that a handle waits for.
template <class Call, class Result>
struct call_with_result {
  Call call;
  std::shared_ptr<result_state<Result>> state;
  bool returned = false;

  static constexpr bool repeatable = false;

  call_with_result(Call&& call_, std::shared_ptr<result_state<Result>> state_)
      : call(std::move(call_)), state(std::move(state_)) {}
  call_with_result(call_with_result&&) = default;
  /// Releases the result when the task and the tasks that it has submitted are finished.
  ~call_with_result() {
    if (state == nullptr) return;
    state->end_as(returned ? completion::state::done : completion::state::dropped);
  }

  void run() {
    if constexpr (std::is_void_v<Result>) {
      call.run();
    } else {
      state->value.emplace(call.run());
    }
    returned = true;
  }
  void run_again() {}
  void disown() noexcept { returned = false; }
};

/// True if a call fits into the node itself.
template <class Call>
inline constexpr bool fits_node = sizeof(Call) <= task_node::storage_bytes && alignof(Call) <= 16;
/// Names the type of the object in the node's storage: the call, or the owner of one that is too
/// large.
template <class Call>
using stored_as = std::conditional_t<fits_node<Call>, Call, std::unique_ptr<Call>>;

template <class Call>
[[nodiscard]] Call& stored_call(task_node& node) noexcept {
  auto& stored = *std::launder(reinterpret_cast<stored_as<Call>*>(node.storage));
  if constexpr (fits_node<Call>) {
    return stored;
  } else {
    return *stored;
  }
}

/// Stores `call` in the node (or on the heap when it is too large) and sets what runs and destroys
/// it.
template <class Call>
void store_call(task_node& node, Call&& call) {
  using stored = std::decay_t<Call>;
  if constexpr (fits_node<stored>) {
    ::new (static_cast<void*>(node.storage)) stored(std::forward<Call>(call));
  } else {
    ::new (static_cast<void*>(node.storage))
        std::unique_ptr<stored>(std::make_unique<stored>(std::forward<Call>(call)));
  }
  if constexpr (!stored::repeatable)
    if (node.recorded != nullptr) node.recorded->repeatable = false;
  if constexpr (!fits_node<stored> || !std::is_trivially_destructible_v<stored>)
    node.trivial = false;
  node.act = [](task_node& self, node_action action) {
    switch (action) {
      case node_action::run:
        stored_call<stored>(self).run();
        break;
      case node_action::run_again:
        stored_call<stored>(self).run_again();
        break;
      case node_action::disown:
        if constexpr (requires(stored & call_) { call_.disown(); })
          stored_call<stored>(self).disown();
        break;
      case node_action::destroy:
        std::destroy_at(std::launder(reinterpret_cast<stored_as<stored>*>(self.storage)));
        break;
    }
  };
}

}  // namespace plait::detail
