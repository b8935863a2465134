// SPDX-License-Identifier: BSD-3-Clause
/// Memory that the runtime makes for messages; whoever uses it keeps it alive.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <plait/core/strided_bytes.hpp>

namespace plait {

[[nodiscard]] inline std::shared_ptr<std::byte> make_scratch(std::size_t size_bytes) {
  constexpr std::align_val_t alignment{64};
  return {static_cast<std::byte*>(::operator new(size_bytes, alignment)),
          [](std::byte* bytes) { ::operator delete(bytes, alignment); }};
}

/// Small scratch memory that is used again once no task in flight names it, so that calls which
/// repeat allocate nothing.  It lives as long as the pool.  Submitting thread.
class scratch_pool {
 public:
  static constexpr std::size_t largest_bytes = 1024;

  /// Returns memory that nobody owns, for a size from 1 to `largest_bytes`; if `most_blocks` of the
  /// size are in use, memory that is freed when it is let go.  `is_unused(bytes)`: no task in
  /// flight names them.  Calls in flight at once have memory of their own each.
  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t size_bytes, const auto& is_unused) {
    const std::size_t lines = (size_bytes + line - 1) / line;
    ring& own = rings_[lines - 1];
    for (std::size_t tries = std::min<std::size_t>(2, own.blocks.size()); tries > 0; --tries) {
      std::byte* const oldest = own.blocks[own.next].get();
      own.next = own.next + 1 < own.blocks.size() ? own.next + 1 : 0;
      const auto begin = reinterpret_cast<std::uintptr_t>(oldest);
      if (is_unused(byte_range{begin, begin + lines * line})) return lent(oldest);
    }
    if (own.blocks.size() == most_blocks) return make_scratch(size_bytes);
    own.blocks.push_back(make_scratch(lines * line));
    return lent(own.blocks.back().get());
  }

 private:
  [[nodiscard]] static std::shared_ptr<std::byte> lent(std::byte* memory) noexcept {
    return {std::shared_ptr<void>(), memory};
  }

  static constexpr std::size_t most_blocks = 64;
  static constexpr std::size_t line = 64;
  struct ring {
    std::vector<std::shared_ptr<std::byte>> blocks;
    std::size_t next = 0;  ///< the one that was taken longest ago
  };
  std::array<ring, largest_bytes / line> rings_;
};

[[nodiscard]] inline std::span<std::byte> writable(byte_range bytes) noexcept {
  return {reinterpret_cast<std::byte*>(bytes.begin), bytes.end - bytes.begin};
}
[[nodiscard]] inline std::span<const std::byte> readable(byte_range bytes) noexcept {
  return writable(bytes);
}

}  // namespace plait
