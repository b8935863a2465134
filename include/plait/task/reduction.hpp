// SPDX-License-Identifier: BSD-3-Clause
/// The access word `reduce`: tasks that add up, or otherwise combine, into the same data side by
/// side.
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/extremes.hpp>
#include <plait/task/access.hpp>

namespace plait {

/// An associative and commutative operation on T and the value that changes nothing.
template <class Operation, class T>
concept reduction_of = std::is_empty_v<Operation> && std::default_initializable<Operation> &&
    std::copy_constructible<T> && requires(const T& a, const T& b) {
  { Operation{}(a, b) } -> std::convertible_to<T>;
  { Operation::template identity<T>() } -> std::convertible_to<T>;
};

/// x + y, from 0 on.
struct sum {
  template <class T>
  [[nodiscard]] static constexpr T identity() {
    return T{};
  }
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};

/// x * y, from 1 on.
struct product {
  template <class T>
  [[nodiscard]] static constexpr T identity() {
    return T{1};
  }
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a * b);
  }
};

/// The smaller of two.
struct minimum {
  template <class T>
  [[nodiscard]] static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return detail::smaller(a, b);
  }
};

/// The larger of two.
struct maximum {
  template <class T>
  [[nodiscard]] static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return detail::larger(a, b);
  }
};

/// Declares that each such task combines into these, by `Operation`: `sum` (the default),
/// `product`, `minimum`, `maximum`, or a type of the program's own that is a `reduction_of` the
/// element type.  The function gets a copy of its own, which begins as the operation's identity:
/// T&, or std::span<T> where x is a contiguous range, as long as that is when the task runs.  What
/// it leaves there is combined into x when it returns.  Tasks that reduce the same x by the same
/// operation run side by side, in any order; so a floating-point result may differ in its last bits
/// from run to run.  To all other accesses, `reduce` is an `inout`.
///
///     rt.task("dot", dot, in(a, b), reduce(total));
///     rt.task("largest", largest, in(a), reduce<plait::maximum>(peak));
template <class Operation = sum, class... X>
[[nodiscard]] auto reduce(X&&... x) noexcept;

// ---------------------------------------------------------------------------------------------------
namespace detail {

/// Has one task at a time combine into what lies at `data`, for a scope.
class combining {
 public:
  explicit combining(const void* data) noexcept;
  ~combining();
  combining(const combining&) = delete;
  combining& operator=(const combining&) = delete;

 private:
  const void* data_;
};

template <class T>
inline constexpr bool is_reduction = false;
template <class Stored, class Operation>
inline constexpr bool is_reduction<access<access_mode::reduce, Stored, Operation>> = true;

/// A task's own copy of an object that it reduces.
template <class Target, class Operation>
class private_object {
 public:
  explicit private_object(Target* target)
      : target_(target), own_(Operation::template identity<Target>()) {}

  [[nodiscard]] Target& argument() noexcept { return own_; }

  void combine() {
    combining alone(target_);
    *target_ = Operation{}(std::as_const(*target_), std::as_const(own_));
  }

 private:
  Target* target_;
  Target own_;
};

/// Holds a task's own copy of elements that it reduces.
template <class Element, class Operation>
class private_elements {
 public:
  explicit private_elements(std::span<Element> target)
      : target_(target), own_(target.size(), Operation::template identity<Element>()) {}
  /// Copies the elements that a container has now.
  template <contiguous_elements Container>
  explicit private_elements(Container* target) : private_elements(std::span<Element>(*target)) {}

  [[nodiscard]] std::span<Element> argument() noexcept { return own_; }

  void combine() {
    combining alone(target_.data());
    for (std::size_t i = 0; i < own_.size(); ++i) {
      target_[i] = Operation{}(std::as_const(target_[i]), std::as_const(own_[i]));
    }
  }

 private:
  std::span<Element> target_;
  std::vector<Element> own_;
};

/// Made when the task runs, from what its access stores.
template <class Stored, class Operation>
struct copy_for_reduction;
template <class Element, class Operation>
struct copy_for_reduction<std::span<Element>, Operation> {
  using type = private_elements<Element, Operation>;
};
template <class Object, class Operation>
struct copy_for_reduction<Object*, Operation> {
  using type = private_object<Object, Operation>;
};
template <contiguous_elements Container, class Operation>
struct copy_for_reduction<Container*, Operation> {
  using type = private_elements<std::ranges::range_value_t<Container>, Operation>;
};

/// Tells reductions apart: by their operation, and by the type of what they combine.  The smallest
/// byte at each place and the smallest word depend on which of the two came first.
template <class Copy>
struct reduction_key {
  static constexpr char key = 0;
};

/// Null for what is no reduction.
template <class Access>
[[nodiscard]] constexpr const void* key_of_reduction() noexcept {
  using operation = typename Access::operation;
  if constexpr (std::is_void_v<operation>) {
    return nullptr;
  } else {
    using stored = decltype(Access::stored);
    return &reduction_key<typename copy_for_reduction<stored, operation>::type>::key;
  }
}

template <class Stored, class Operation>
[[nodiscard]] auto private_copy(const access<access_mode::reduce, Stored, Operation>& of) {
  return typename copy_for_reduction<Stored, Operation>::type(of.stored);
}

template <class T>
inline constexpr bool is_private_copy = false;
template <class Target, class Operation>
inline constexpr bool is_private_copy<private_object<Target, Operation>> = true;
template <class Element, class Operation>
inline constexpr bool is_private_copy<private_elements<Element, Operation>> = true;

template <class Operation, class X>
[[nodiscard]] auto make_reduction(X&& x) noexcept {
  using object = std::remove_reference_t<X>;
  const auto whole = make_access<access_mode::reduce>(std::forward<X>(x));
  if constexpr (contiguous_elements<object>) {
    using element = std::remove_reference_t<std::ranges::range_reference_t<object>>;
    static_assert(reduction_of<Operation, element>,
                  "reduce<Operation>(x): Operation is no reduction_of the elements of x");
  } else {
    static_assert(reduction_of<Operation, object>,
                  "reduce<Operation>(x): Operation is no reduction_of the type of x");
  }
  return access<access_mode::reduce, std::remove_cv_t<decltype(whole.stored)>, Operation>{
      whole.stored};
}

}  // namespace detail

template <class Operation, class... X>
[[nodiscard]] auto reduce(X&&... x) noexcept {
  return std::tuple{detail::make_reduction<Operation>(std::forward<X>(x))...};
}

}  // namespace plait
