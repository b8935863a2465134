// SPDX-License-Identifier: BSD-3-Clause
// Kernels that stand-ins for drivers know by the names in the tests' sources, in C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace plait::test {

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
  void (*run)(std::span<const argument_bytes> arguments, std::size_t item);
  /// True where the kernel fails with these arguments; null: it does not.
  bool (*fails)(std::span<const argument_bytes> arguments) = nullptr;
};

inline void mix_item(std::span<const argument_bytes> a, std::size_t i) {
  std::uint64_t& to = value_of<std::uint64_t*>(a[1])[i];
  to = to * 3 + value_of<std::uint64_t*>(a[0])[i] * 5 + value_of<std::uint64_t>(a[2]) + i;
}

inline const known_kernel known_kernels[] = {
    {"add_one",
     {0},
     [](std::span<const argument_bytes> a, std::size_t i) { ++value_of<int*>(a[0])[i]; }},
    {"scale_into",
     {0, 0, sizeof(int)},
     [](std::span<const argument_bytes> a, std::size_t i) {
       value_of<int*>(a[1])[i] = value_of<int>(a[2]) * value_of<int*>(a[0])[i];
     }},
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
