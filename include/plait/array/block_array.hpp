// SPDX-License-Identifier: BSD-3-Clause
/// One value for each cell of a domain, spread over ranks: the values of a rank's own blocks and of
/// their ghosts.  Moves nothing between ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/array/block_memory.hpp>
#include <plait/array/decomposition.hpp>
#include <plait/array/view.hpp>

namespace plait {

/// The blocks of `rank`, ghosts included, zeroed.  A constant array gives views of constant
/// elements. Moving it keeps every element where it is.
template <class T, int D>
class block_array {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "elements are copied as bytes: T must be trivially copyable and not const");
  static_assert(alignof(T) <= 64, "elements are aligned to a cache line at most");

 public:
  using element = T;

  /// Local.  A rank beyond blocks.ranks() holds nothing.  The calling thread writes all pages
  /// first. Precondition: rank >= 0.  Errors: std::bad_alloc.
  block_array(decomposition<D> blocks, int rank) : blocks_(std::move(blocks)), rank_(rank) {
    const int place = next_place();
    for (const int id : local_blocks()) {
      block_memory::numbers cells;
      block_memory::numbers ghosts{};
      cells.fill(1);
      for (std::size_t a = 0; a < D; ++a) {
        cells[a] = blocks_.block(id).extent().along[a];
        ghosts[a] = blocks_.ghosts().along[a];
      }
      memory_.emplace_back(cells, ghosts, sizeof(T), place);
    }
  }

  [[nodiscard]] const decomposition<D>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Returns the blocks that this rank holds, by their number in blocks(), ascending.
  [[nodiscard]] std::span<const int> local_blocks() const { return blocks_.blocks_of(rank_); }

  /// Returns a block with its ghosts.  Precondition: it is one of local_blocks().
  [[nodiscard]] view<T, D> block(int id) { return view_of<T>(id); }
  [[nodiscard]] view<const T, D> block(int id) const { return view_of<const T>(id); }

  /// Returns a view of these cells, in the block that owns the middle cell.  Precondition: that
  /// block is local and has all of the cells, some perhaps as ghosts.
  [[nodiscard]] view<T, D> operator[](const box<D>& cells) { return block(middle(cells))[cells]; }
  [[nodiscard]] view<const T, D> operator[](const box<D>& cells) const {
    return block(middle(cells))[cells];
  }
  /// The cells of a star, in the same block.  Precondition: that has the box around it.
  [[nodiscard]] star_view<T, D> operator[](const box_star<D>& cells) {
    return block(middle(cells.around()))[cells];
  }
  [[nodiscard]] star_view<const T, D> operator[](const box_star<D>& cells) const {
    return block(middle(cells.around()))[cells];
  }

  void set_zero() noexcept {
    for (block_memory& m : memory_) m.set_zero();
  }

 private:
  template <class U>
  [[nodiscard]] view<U, D> view_of(int id) const {
    const std::ptrdiff_t place = detail::place_of(id, local_blocks());
    PLAIT_EXPECTS(place >= 0,
                  "block " + std::to_string(id) + " is not of rank " + std::to_string(rank_));
    const block_memory& m = memory_[static_cast<std::size_t>(place)];
    std::array<std::ptrdiff_t, D> strides{};
    std::ptrdiff_t corner = 0;
    for (std::size_t a = 0; a < D; ++a) {
      strides[a] = m.strides()[a];
      corner += blocks_.ghosts().along[a] * strides[a];
    }
    return {reinterpret_cast<U*>(m.first()) - corner, blocks_.block_with_ghosts(id), strides};
  }

  [[nodiscard]] int middle(const box<D>& cells) const {
    PLAIT_EXPECTS(!cells.empty(), to_string(cells));
    point<D> at;
    for (const axis a : axes<D>) at[a] = cells.low[a] + (cells.high[a] - cells.low[a]) / 2;
    // One block needs no search.  The middle of ghosts alone may be a cell of another rank's block,
    // or none of the domain's.
    if (local_blocks().size() > 1 && blocks_.global().contains(at)) {
      const int owner = blocks_.block_at(at);
      if (blocks_.rank_of(owner) == rank_ && blocks_.block_with_ghosts(owner).contains(cells))
        return owner;
    }
    for (const int id : local_blocks())
      if (blocks_.block_with_ghosts(id).contains(cells)) return id;
    PLAIT_EXPECTS(false, to_string(cells) + " are in no block of rank " + std::to_string(rank_));
    return -1;
  }

  decomposition<D> blocks_;
  int rank_ = 0;
  std::vector<block_memory> memory_;
};

}  // namespace plait
