// SPDX-License-Identifier: BSD-3-Clause
// Kernels that stand-ins for drivers know by the names in the tests' sources, in C++.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/kernel_words.cl"
#include "jacobi3d/device/relax_cells.cl"
#include "poisson/device/cg_cells.cl"

namespace plait::test {

/// Place of a work item, along each axis.
using work_item = std::array<std::size_t, 3>;

/// An argument as bytes: an address, or a value.
using argument_bytes = std::vector<std::byte>;
template <class T>
[[nodiscard]] T value_of(const argument_bytes& one) {
  T value;
  std::memcpy(&value, one.data(), sizeof value);
  return value;
}

struct known_kernel {
  std::string_view name;
  std::vector<std::size_t> values;  ///< bytes of each argument; 0: an address
  void (*run)(std::span<const argument_bytes> arguments, const work_item& item);
  /// True where the kernel fails with these arguments; null: it does not.
  bool (*fails)(std::span<const argument_bytes> arguments) = nullptr;
};

inline void mix_item(std::span<const argument_bytes> a, const work_item& item) {
  const std::size_t i = item[0];
  std::uint64_t& to = value_of<std::uint64_t*>(a[1])[i];
  to = to * 3 + value_of<std::uint64_t*>(a[0])[i] * 5 + value_of<std::uint64_t>(a[2]) + i;
}

/// A function of an application's text: its arguments, and then the work item.
template <class Function>
struct text_arguments;
template <class... All>
struct text_arguments<void (*)(All...)> {
  template <std::size_t I>
  using type = std::tuple_element_t<I, std::tuple<All...>>;
  using places = std::make_index_sequence<sizeof...(All) - 1>;
};
template <auto Function>
[[nodiscard]] known_kernel of_text(std::string_view name) {
  using all = text_arguments<decltype(Function)>;
  return []<std::size_t... I>(std::string_view called, std::index_sequence<I...>) {
    return known_kernel{called,
                        {(std::is_pointer_v<typename all::template type<I>>
                              ? 0
                              : sizeof(typename all::template type<I>))...},
                        [](std::span<const argument_bytes> a, const work_item& item) {
                          Function(value_of<typename all::template type<I>>(a[I])..., item);
                        }};
  }
  (name, typename all::places());
}

/// Runs until the host has opened it, by a word of the kernel's memory that is not 0.
inline void wait_at_gate(std::span<const argument_bytes> a, const work_item&) {
  const std::atomic_ref<int> gate(*value_of<int*>(a[0]));
  while (gate.load(std::memory_order_acquire) == 0) std::this_thread::yield();
}

inline const known_kernel known_kernels[] = {
    {"add_one",
     {0},
     [](std::span<const argument_bytes> a, const work_item& i) { ++value_of<int*>(a[0])[i[0]]; }},
    {"scale_into",
     {0, 0, sizeof(int)},
     [](std::span<const argument_bytes> a, const work_item& i) {
       value_of<int*>(a[1])[i[0]] = value_of<int>(a[2]) * value_of<int*>(a[0])[i[0]];
     }},
    {"wait_at_gate", {0}, &wait_at_gate},
    of_text<&relax_cells>("relax_cells"),
    of_text<&turn_cells>("turn_cells"),
    of_text<&multiply_cells>("multiply_cells"),
    of_text<&shorten_cells>("shorten_cells"),
    of_text<&sum_lanes>("sum_lanes"),
    {"mix_into", {0, 0, sizeof(std::uint64_t)}, &mix_item},
    {"mix_or_fail",
     {0, 0, sizeof(std::uint64_t)},
     &mix_item,
     [](std::span<const argument_bytes> a) { return value_of<std::uint64_t>(a[2]) % 64 == 0; }}};

/// Returns null for a kernel that no stand-in knows, or that the program's source does not name.
[[nodiscard]] inline const known_kernel* kernel_in(std::string_view source, std::string_view name) {
  for (const known_kernel& one : known_kernels) {
    if (one.name == name && source.find(name) != std::string_view::npos) return &one;
  }
  return nullptr;
}

}  // namespace plait::test
