// SPDX-License-Identifier: BSD-3-Clause
/// The memory of one block with ghosts: where its cells lie, so that kernels meet aligned rows and
/// no two arrays collide.
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace plait {

/// Zeroed bytes for the cells of a box with ghosts, x fastest.  Rows start on a cache line at their
/// first own cell where the element's size allows; no distance between rows or planes is a multiple
/// of a page, nor do blocks of different `place` start at the same offset in one.
class block_memory {
 public:
  static constexpr int most_axes = 4;
  using numbers = std::array<std::int64_t, most_axes>;

  block_memory() = default;
  /// Axes a block does not have: 1 cell, no ghosts.  Throws std::bad_alloc.
  block_memory(const numbers& cells, const numbers& ghosts, std::size_t element_bytes, int place);

  /// Returns the distances between neighbours along each axis that such a block has, in elements.
  [[nodiscard]] static numbers strides_of(const numbers& cells, const numbers& ghosts,
                                          std::size_t element_bytes) noexcept;

  /// Returns the first own cell, and the distances between neighbours along each axis in elements.
  [[nodiscard]] std::byte* first() const noexcept { return first_; }
  [[nodiscard]] const numbers& strides() const noexcept { return strides_; }
  /// All of it, with ghosts and padding.
  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_; }
  void set_zero() noexcept;

 private:
  struct freed {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, freed> memory_;
  std::size_t bytes_ = 0;
  std::byte* first_ = nullptr;
  numbers strides_{};
};

/// Places in turn, so that arrays made one after the other, which a kernel uses together, differ.
/// Thread-safe.
[[nodiscard]] int next_place() noexcept;

namespace detail {
/// Returns the place of `id` in a list that is sorted; -1 if it is not there.
[[nodiscard]] std::ptrdiff_t place_of(int id, std::span<const int> sorted) noexcept;
}  // namespace detail

}  // namespace plait
