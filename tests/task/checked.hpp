// SPDX-License-Identifier: BSD-3-Clause
/// Help for tests of checked mode: the complaint about a program, and touches that no compiler
/// moves.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>

#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

namespace plait::test {

/// Returns the complaint about the tasks of `program`, or "nothing".
inline std::string found(const std::function<void(scheduler&)>& program) {
  scheduler s{{.checked = true}};
  try {
    program(s);
    s.wait();
  } catch (const access_error& e) {
    return e.what();
  }
  return "nothing";
}

template <class T>
[[gnu::noinline]] T load(const T* from) {
  return *const_cast<const volatile T*>(from);
}
template <class T>
[[gnu::noinline]] void store(T* to, T value) {
  *const_cast<volatile T*>(to) = value;
}

/// Zeroed memory that begins at a page.
struct pages {
  explicit pages(std::size_t count)
      : bytes(count * 4096), data(static_cast<std::byte*>(std::aligned_alloc(4096, bytes))) {
    std::memset(data, 0, bytes);
  }
  ~pages() { std::free(data); }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  template <class T>
  [[nodiscard]] std::span<T> as(std::size_t from_byte, std::size_t count) const {
    return {reinterpret_cast<T*>(data + from_byte), count};
  }

  std::size_t bytes;
  std::byte* data;
};

inline void set_to_one(std::span<double> x) {
  for (double& each : x) each = 1;
}

}  // namespace plait::test
