// SPDX-License-Identifier: BSD-3-Clause
/// Memory that the runtime makes for messages; whoever uses it keeps it alive.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include <plait/core/strided_bytes.hpp>

namespace plait {

[[nodiscard]] inline std::shared_ptr<std::byte> make_scratch(std::size_t size_bytes) {
  constexpr std::align_val_t alignment{64};
  return {static_cast<std::byte*>(::operator new(size_bytes, alignment)),
          [](std::byte* bytes) { ::operator delete(bytes, alignment); }};
}

[[nodiscard]] inline std::span<std::byte> writable(byte_range bytes) noexcept {
  return {reinterpret_cast<std::byte*>(bytes.begin), bytes.end - bytes.begin};
}
[[nodiscard]] inline std::span<const std::byte> readable(byte_range bytes) noexcept {
  return writable(bytes);
}

}  // namespace plait
