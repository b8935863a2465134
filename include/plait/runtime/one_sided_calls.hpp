// SPDX-License-Identifier: BSD-3-Clause
/// One-sided communication as tasks, as `runtime` offers it.  Here is the typed surface over
/// `submitter::one_sided`; how it runs is in plait/comm/exposed_memory.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/comm/operation.hpp>
#include <plait/runtime/one_sided_options.hpp>
#include <plait/runtime/submitter.hpp>
#include <plait/runtime/window.hpp>
#include <plait/task/access.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

/// Communicates without the target's program.  One rank alone names source and destination. [the
/// probes' get, put and signalling put (overlap-probes, section 5.2)]
///
/// Each operation is a task.  It starts when this rank's earlier tasks that it conflicts with have
/// finished.  Besides the local data it names, it accesses the target's bytes: **two operations of
/// one rank on a common byte of one target, one of them a put, happen in the order of their
/// submission**. All others overlap.  So there is no fence.  Only signals order the operations of
/// different ranks, and those with the target's own tasks.
///
/// A put finishes when its data is in the target's memory.  The target is not notified.  A get
/// finishes when its data is here.  A put takes one latency until the data is there, a get two.
/// The target's engine answers, whatever its program does; with a policy without a proxy
/// (`workers`, `none`), while the target is in plait.  A rank that waits in a call of its own for
/// another rank's operation needs the proxy.
///
/// A signal says that the data of its put is there, and never comes before.  The k-th
/// `await_signal` for (window, source, flag) meets the k-th `put_signal` or `signal` that the
/// source has submitted for (window, this rank, flag), whichever becomes ready first.
///
/// With `no_rank`, or MPI_PROC_NULL, as the other rank nothing happens, and no signal is met.
///
/// Errors of all: usage_error for a rank, a flag or elements out of range, and inside a task.
///
///     auto halo = rt.window(ghosts);                      // collective
///     rt.put_signal("edge", halo, right, 0, in(edge));    // data, then the flag
///     rt.await_signal("ghost", halo, left, out(ghosts));  // tasks that read ghosts wait for it
class one_sided_calls {
 public:
  /// Makes a window over `own`.  Collective, in the order of the program.  Waits for the other
  /// ranks and runs tasks meanwhile; earlier submissions need not have finished.  `own` may have
  /// another length on each rank.  Errors: usage_error when the options differ or are out of range,
  /// on all ranks; inside a task or a recording.
  template <std::ranges::contiguous_range X>
  [[nodiscard]] auto window(X&& own, const window_options& options = {}) {
    static_assert(std::is_lvalue_reference_v<X> || std::ranges::view<std::remove_cvref_t<X>>,
                  "a window is over memory that outlives it: pass an lvalue or a span");
    using element = std::remove_reference_t<std::ranges::range_reference_t<X>>;
    const std::span<element> all(own);
    return plait::window<element>(
        detail::window_lease(to_, to_.expose({all.data(), all.size_bytes()}, options)), all);
  }

  /// Makes a window over memory of its own: `count` elements of T, all bytes zero, which live until
  /// the window ends.  `count` may differ on each rank.  On windows_on::rma MPI finds the memory,
  /// which on one machine the ranks may share then: so a put ends while its target computes, where
  /// one into other memory does not.  Collective, and errors, as `window`.
  ///
  ///     auto halo = rt.allocate_window<double>(1000, {.on = plait::windows_on::automatic});
  template <class T>
  [[nodiscard]] plait::window<T> allocate_window(std::size_t count,
                                                 const window_options& options = {}) {
    auto memory =
        to_.expose({.size_bytes = bytes_before<T>(count), .is_to_be_found = true}, options);
    const std::span<T> all(static_cast<T*>(memory->begin()), count);
    return plait::window<T>(detail::window_lease(to_, std::move(memory)), all);
  }

  /// Copies the target's elements from `offset` on into out(x), as many as x has.
  template <class T, class X>
  void get(task_name name, const plait::window<T>& from, int target, std::size_t offset,
           const std::tuple<X>& x) {
    static_assert(X::mode == access_mode::out, "a get writes: get(name, window, rank, 0, out(x))");
    expect_elements<T, X>();
    to_.one_sided({.name = name,
                   .memory = from.memory(),
                   .what = operation::kind::get,
                   .peer = target,
                   .offset_bytes = bytes_before<T>(offset),
                   .data = bytes_of(x),
                   .data_elements_of = detail::container_of(std::get<0>(x))});
  }

  /// Copies in(x) into the target's elements from `offset` on.  The target is not notified.
  ///
  ///     rt.put("edge", halo, right, 0, in(edge), {.source = plait::completion::local});
  template <class T, class X>
  void put(task_name name, const plait::window<T>& to, int target, std::size_t offset,
           const std::tuple<X>& x, const put_options& options = {}) {
    to_.one_sided(describe_put(name, to, target, offset, x, options));
  }

  /// Copies in(x) into the target's elements from `offset` on, and raises the target's flag once
  /// when the data is there.
  template <class T, class X>
  void put_signal(task_name name, const plait::window<T>& to, int target, std::size_t offset,
                  const std::tuple<X>& x, int flag = 0, const put_options& options = {}) {
    one_sided_call call = describe_put(name, to, target, offset, x, options);
    call.signals = true;
    call.flag = flag;
    to_.one_sided(call);
  }

  /// Raises the flag once this rank's earlier tasks that conflict with the accesses have finished:
  /// `inout(x)`, when no task here uses x any more, so that the target may overwrite it.
  template <class T, class... X>
  void signal(task_name name, const plait::window<T>& at, int target,
              const std::tuple<X...>& accesses, int flag = 0) {
    one_sided_call call{.name = name, .memory = at.memory(), .peer = target};
    call.signals = true;
    call.flag = flag;
    const auto waited_for = ordered(accesses);
    const auto containers = containers_of(accesses);
    call.accesses = waited_for;
    call.accesses_elements_of = containers;
    to_.one_sided(call);
  }

  /// Finishes when the signal from `source` has come.  Later tasks that touch what `out(x...)`
  /// names wait for it: the part of the window that the signal speaks of, or anything else.
  template <class T, class... X>
  void await_signal(task_name name, const plait::window<T>& at, int source,
                    const std::tuple<X...>& covers, int flag = 0) {
    static_assert(((X::mode == access_mode::out) && ...),
                  "a signal brings data: await_signal(name, window, rank, out(x))");
    const auto covered = ordered(covers);
    const auto containers = containers_of(covers);
    to_.one_sided({.name = name,
                   .memory = at.memory(),
                   .what = operation::kind::await_signal,
                   .peer = source,
                   .flag = flag,
                   .accesses = covered,
                   .accesses_elements_of = containers});
  }

 protected:
  explicit one_sided_calls(submitter& to) noexcept : to_(to) {}
  ~one_sided_calls() = default;

 private:
  /// Beyond any window rather than round the corner.
  template <class T>
  [[nodiscard]] static std::size_t bytes_before(std::size_t offset) noexcept {
    return offset <= SIZE_MAX / sizeof(T) ? offset * sizeof(T) : SIZE_MAX;
  }
  template <class X>
  [[nodiscard]] static byte_range bytes_of(const std::tuple<X>& x) noexcept {
    return std::get<0>(x).bytes();
  }
  template <class... X>
  [[nodiscard]] static std::array<data_access, sizeof...(X)> ordered(
      const std::tuple<X...>& accesses) noexcept {
    return std::apply(
        [](const auto&... one) {
          return std::array<data_access, sizeof...(X)>{data_access{one.memory(), one.mode}...};
        },
        accesses);
  }
  template <class... X>
  [[nodiscard]] static std::array<detail::container, sizeof...(X)> containers_of(
      const std::tuple<X...>& accesses) noexcept {
    return std::apply(
        [](const auto&... one) {
          return std::array<detail::container, sizeof...(X)>{detail::container_of(one)...};
        },
        accesses);
  }
  template <class T, class X>
  static constexpr void expect_elements() {
    using object = std::remove_cvref_t<decltype(std::declval<const X&>().argument())>;
    if constexpr (std::ranges::contiguous_range<object>) {
      static_assert(std::is_same_v<std::ranges::range_value_t<object>, T>,
                    "what is put or got has elements of the window's type");
    } else {
      static_assert(std::is_same_v<object, T>,
                    "what is put or got has elements of the window's type");
    }
  }
  template <class T, class X>
  [[nodiscard]] static one_sided_call describe_put(task_name name, const plait::window<T>& to,
                                                   int target, std::size_t offset,
                                                   const std::tuple<X>& x,
                                                   const put_options& options) {
    static_assert(X::mode == access_mode::in, "a put reads: put(name, window, rank, 0, in(x))");
    expect_elements<T, X>();
    return {.name = name,
            .memory = to.memory(),
            .what = operation::kind::put,
            .peer = target,
            .offset_bytes = bytes_before<T>(offset),
            .data = bytes_of(x),
            .source = options.source,
            .data_elements_of = detail::container_of(std::get<0>(x))};
  }

  submitter& to_;
};

}  // namespace plait
