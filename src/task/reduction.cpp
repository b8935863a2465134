// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <mutex>

#include <plait/task/reduction.hpp>

namespace plait::detail {
namespace {

std::mutex& combining_mutex(const void* data) noexcept {
  constexpr unsigned bits = 6;
  static std::array<std::mutex, std::size_t{1} << bits> mutexes;
  return mutexes[(reinterpret_cast<std::uintptr_t>(data) * 0x9E3779B97F4A7C15U) >> (64U - bits)];
}

}  // namespace

combining::combining(const void* data) noexcept : data_(data) {
  combining_mutex(data).lock();
}
combining::~combining() {
  combining_mutex(data_).unlock();
}

}  // namespace plait::detail
