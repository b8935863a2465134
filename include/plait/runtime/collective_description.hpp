// SPDX-License-Identifier: BSD-3-Clause
/// Description of a collective call without its types: which elements, named by which words, in
/// which memory.  The calls: collective_calls.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/core/extremes.hpp>
#include <plait/runtime/collective_options.hpp>
#include <plait/task/access.hpp>

namespace plait::detail {

/// Names the type of an argument's elements: of a single object its own type.
template <class Argument>
struct element_of {
  using type = Argument;
};
/// Names the type of a range's elements.
template <std::ranges::contiguous_range Argument>
struct element_of<Argument> {
  using type = std::ranges::range_value_t<Argument>;
};
/// Names the type of a view's cells, without const.
template <strided_view Argument>
struct element_of<Argument> {
  using type = std::remove_const_t<typename Argument::element>;
};

/// Kinds of memory that may name the buffers of an operation.
enum class buffers : std::uint8_t { contiguous, boxes_too };

/// One buffer of a call; of a box that many bytes from its first on, until it is packed.
struct buffer_memory {
  byte_range bytes = {};
  std::optional<strided_bytes> box = {};
  container elements_of = {};
};

/// Describes calls of collectives by their buffers and elements.
struct collective_description {
  template <class X>
  using element =
      typename element_of<std::remove_cvref_t<decltype(std::declval<const X&>().argument())>>::type;

  template <buffers May, class X>
  [[nodiscard]] static buffer_memory memory_of(const std::tuple<X>& x) noexcept {
    if constexpr (May == buffers::boxes_too && (X::is_box || X::is_boxes)) {
      const strided_bytes box = std::get<0>(x).memory();
      std::size_t size = box.row_bytes;
      for (const auto& a : box.axes) {
        size *= static_cast<std::size_t>(larger<std::int64_t>(a.rows, 0));
      }
      return {{box.begin, box.begin + size}, box};
    } else {
      buffer_memory memory;  // not cleared first
      memory.bytes = std::get<0>(x).bytes();
      memory.elements_of = container_of(std::get<0>(x));
      return memory;
    }
  }
  template <class X>
  [[nodiscard]] static std::size_t count_of(const std::tuple<X>& x) noexcept {
    const byte_range bytes = memory_of<buffers::boxes_too>(x).bytes;
    return (bytes.end - bytes.begin) / sizeof(element<X>);
  }

  template <class T>
  [[nodiscard]] static collective_call describe(task_name name, collective::operation what,
                                                const buffer_memory& send,
                                                const buffer_memory& receive,
                                                const collective_options& options) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "the elements of a collective must be trivially copyable");
    collective_call call(name);
    call.send = send.bytes;
    call.receive = receive.bytes;
    call.send_box = send.box;
    call.receive_box = receive.box;
    call.send_elements_of = send.elements_of;
    call.receive_elements_of = receive.elements_of;
    call.shape.what = what;
    call.shape.element_bytes = sizeof(T);
    call.shape.fragment_bytes = options.fragment_bytes;
    call.options = options;
    return call;
  }
  template <buffers May = buffers::contiguous, class X, class Y>
  [[nodiscard]] static collective_call describe_pair(collective::operation what, task_name name,
                                                     const std::tuple<X>& x, const std::tuple<Y>& y,
                                                     const collective_options& options) {
    static_assert(X::mode == access_mode::in && Y::mode == access_mode::out,
                  "a collective reads one buffer and writes the other: (name, in(x), out(y), …)");
    static_assert(std::is_same_v<element<X>, element<Y>>,
                  "both buffers of a collective have elements of one type");
    return describe<element<X>>(name, what, memory_of<May>(x), memory_of<May>(y), options);
  }
  template <buffers May = buffers::contiguous, class X>
  [[nodiscard]] static collective_call describe_in_place(collective::operation what, task_name name,
                                                         const std::tuple<X>& x,
                                                         const collective_options& options) {
    static_assert(X::mode == access_mode::inout,
                  "in place a collective reads and writes one buffer: (name, inout(x), …)");
    auto call = describe<element<X>>(name, what, {}, memory_of<May>(x), options);
    call.shape.in_place = true;
    return call;
  }
  template <buffers May = buffers::contiguous, class X>
  [[nodiscard]] static collective_call describe_source(collective::operation what, task_name name,
                                                       const std::tuple<X>& x,
                                                       const collective_options& options) {
    static_assert(X::mode == access_mode::in,
                  "in place the root of a scatter only reads: (name, in(x), …, root)");
    auto call = describe<element<X>>(name, what, memory_of<May>(x), {}, options);
    call.shape.in_place = true;
    return call;
  }

  template <class T, class Operation>
  [[nodiscard]] static std::shared_ptr<const combine_bytes> combination(Operation operation) {
    constexpr bool returns_an_element =
        std::is_invocable_r_v<T, const Operation&, const T&, const T&>;
    static_assert(
        returns_an_element,
        "the operation of a collective takes two elements and returns the combined one, "
        "T operation(const T&, const T&): one that changes its first argument in place, or "
        "itself, does not");
    if constexpr (returns_an_element) return combine_by<T>(std::move(operation));
  }

 private:
  template <class T, class Operation>
  [[nodiscard]] static std::shared_ptr<const combine_bytes> combine_by(Operation operation) {
    const auto combine = [operation](std::span<const std::byte> from_bytes,
                                     std::span<std::byte> to_bytes, bool to_is_left) {
      const auto* from = reinterpret_cast<const T*>(from_bytes.data());
      auto* to = reinterpret_cast<T*>(to_bytes.data());
      const std::size_t count = to_bytes.size() / sizeof(T);
      if (to_is_left) {
        for (std::size_t i = 0; i < count; ++i) to[i] = operation(to[i], from[i]);
      } else {
        for (std::size_t i = 0; i < count; ++i) to[i] = operation(from[i], to[i]);
      }
    };
    if constexpr (std::is_empty_v<Operation>) {  // one for all calls, which nobody owns
      static const combine_bytes only(combine);
      return {std::shared_ptr<void>(), &only};
    } else {
      return std::make_shared<const combine_bytes>(combine);
    }
  }
};

}  // namespace plait::detail
