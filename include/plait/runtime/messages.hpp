// SPDX-License-Identifier: BSD-3-Clause
/// Messages with their types: what may be sent and received, and how that becomes an erased call.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/comm/operation.hpp>
#include <plait/runtime/submitter.hpp>
#include <plait/task/access.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

/// A buffer, and the variable that says how many of its elements a message has.
template <class Data, class Count>
struct counted_access {
  Data data;
  Count count;
};

/// Names the first elements of a buffer, as many as `count` says when the message starts.  So a
/// task may decide how long a message is.  The receiver names the largest size, and learns how many
/// elements came; what lies behind them in the buffer is undefined.  The count is a std::size_t.
///
///     rt.task("choose", choose, in(particles), out(leaving, leaving_count));
///     rt.send("leaving", counted(in(leaving), in(leaving_count)), right);
///     rt.recv("coming", counted(out(coming), out(coming_count)), left);
template <class Data, class Count>
[[nodiscard]] auto counted(const std::tuple<Data>& data, const std::tuple<Count>& count) noexcept {
  static_assert(Data::mode == Count::mode,
                "a send reads its buffer and its count: counted(in(x), in(n)); a receive writes "
                "both: counted(out(x), out(n))");
  static_assert(
      std::is_same_v<std::remove_cvref_t<decltype(std::get<0>(count).argument())>, std::size_t>,
      "the count of a message is a std::size_t");
  static_assert(!Data::is_box && !Data::is_boxes,
                "a message with a count takes contiguous memory: the rows of a box lie apart");
  return counted_access<Data, Count>{std::get<0>(data), std::get<0>(count)};
}

namespace detail {

template <class Argument>
struct message_element {
  using type = std::remove_cvref_t<Argument>;
};
template <class Argument>
requires strided_view<std::remove_cvref_t<Argument>>
struct message_element<Argument> {
  using type = typename std::remove_cvref_t<Argument>::element;
};
template <class Argument>
requires(std::ranges::contiguous_range<std::remove_cvref_t<Argument>> &&
         !strided_view<std::remove_cvref_t<Argument>>) struct message_element<Argument> {
  using type = std::ranges::range_value_t<std::remove_cvref_t<Argument>>;
};

/// Describes messages by what they send or receive.
template <operation::kind What>
struct typed_message {
  static constexpr bool sends = What == operation::kind::send;
  static constexpr access_mode mode = sends ? access_mode::in : access_mode::out;

  template <class Access>
  static constexpr void expect_fits() {
    static_assert(!sends || Access::mode == access_mode::in,
                  "a send reads its buffer: send(name, in(x), …)");
    static_assert(sends || Access::mode == access_mode::out,
                  "a receive writes its buffer: recv(name, out(x), …)");
    using element =
        typename message_element<decltype(std::declval<const Access&>().argument())>::type;
    static_assert(std::is_trivially_copyable_v<element>,
                  "the elements of a message must be trivially copyable");
  }

  template <class Access>
  [[nodiscard]] static message_call describe(task_name name, const std::tuple<Access>& what,
                                             int peer, int tag) {
    expect_fits<Access>();
    return {.name = name,
            .what = What,
            .memory = std::get<0>(what).memory(),
            .peer = peer,
            .tag = tag,
            .elements_of = container_of(std::get<0>(what))};
  }

  template <class Data, class Count>
  [[nodiscard]] static message_call describe(task_name name,
                                             const counted_access<Data, Count>& what, int peer,
                                             int tag) {
    expect_fits<Data>();
    using element = typename message_element<decltype(what.data.argument())>::type;
    return {.name = name,
            .what = What,
            .memory = what.data.memory(),
            .peer = peer,
            .tag = tag,
            .count = const_cast<std::size_t*>(&what.count.argument()),  // a send only reads it
            .element_bytes = sizeof(element),
            .elements_of = container_of(what.data)};
  }
};
using typed_send = typed_message<operation::kind::send>;
using typed_receive = typed_message<operation::kind::receive>;

}  // namespace detail
}  // namespace plait
