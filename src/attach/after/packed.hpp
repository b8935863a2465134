// SPDX-License-Identifier: BSD-3-Clause
/// Values as bytes, for messages between the ranks of a job: they run one build of plait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <plait/core/error.hpp>

namespace plait::attach {

template <class T>
[[nodiscard]] std::vector<T> copy_of(std::span<const std::byte> memory, std::size_t at,
                                     std::size_t count) {
  if (at > memory.size() || count > (memory.size() - at) / sizeof(T)) {
    throw error("a profile is cut short");
  }
  std::vector<T> values(count);
  if (count > 0)
    std::memcpy(static_cast<void*>(values.data()), memory.data() + at, count * sizeof(T));
  return values;
}

/// Writes how many there are, and the values.
template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const std::uint64_t count = values.size();
  const auto add = [&](const void* from, std::size_t size) {
    to.insert(to.end(), static_cast<const std::byte*>(from),
              static_cast<const std::byte*>(from) + size);
  };
  add(&count, sizeof count);
  add(values.data(), count * sizeof(T));
}
template <class T>
void append(std::vector<std::byte>& to, const std::vector<T>& values) {
  append(to, std::span<const T>(values));
}

/// Reads the same, and goes on to what follows.
template <class T>
[[nodiscard]] std::vector<T> take(std::span<const std::byte>& from) {
  const auto count = copy_of<std::uint64_t>(from, 0, 1).front();
  auto values = copy_of<T>(from, sizeof count, count);
  from = from.subspan(sizeof count + count * sizeof(T));
  return values;
}

}  // namespace plait::attach
