// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <plait/array/block_memory.hpp>
#include <plait/core/error.hpp>
#include <plait/core/region.hpp>
#include <plait/mover/array_moves.hpp>

namespace plait::detail {
namespace {

/// A box of D axes, the slowest first, as box_copy.hpp wants it.
template <int D>
using numbers = std::array<std::int64_t, D>;

template <int D>
[[nodiscard]] numbers<D> slowest_first(numbers<D> x_first) noexcept {
  std::reverse(x_first.begin(), x_first.end());
  return x_first;
}

template <int D>
[[nodiscard]] const block_in_memory<D>& block_of(const array_in_memory<D>& array, int id) {
  // The blocks of a rank mostly have numbers in a row.
  const auto guess = static_cast<std::size_t>(id - array.local.front().id);
  if (guess < array.local.size() && array.local[guess].id == id) return array.local[guess];
  const auto found = std::ranges::lower_bound(array.local, id, {}, &block_in_memory<D>::id);
  PLAIT_EXPECTS(found != array.local.end() && found->id == id, "block " + std::to_string(id));
  return *found;
}

template <int D>
[[nodiscard]] std::byte* address(const block_in_memory<D>& block, const point<D>& cell) {
  std::int64_t offset = 0;
  for (std::size_t a = 0; a < D; ++a) {
    offset += (cell.along[a] - block.cells.low.along[a]) * block.strides[a];
  }
  return block.low + offset;
}

/// Cuts boxes where the block ends, so that none lies partly beside its own cells and partly beside
/// its ghosts.
template <int D>
void cut_at_ends(const box<D>& block, std::vector<box<D>>& boxes) {
  for (const axis a : axes<D>) {
    for (const std::int64_t end : {block.low[a], block.high[a]}) {
      for (std::size_t i = 0, count = boxes.size(); i < count; ++i) {
        if (end <= boxes[i].low[a] || end >= boxes[i].high[a]) continue;
        box<D> above = boxes[i];
        above.low[a] = boxes[i].high[a] = end;
        boxes.push_back(above);
      }
    }
  }
}

/// Returns the strides of a block in bytes, slowest axis first, on whatever rank it lies.
template <int D>
[[nodiscard]] numbers<D> strides_of(const array_in_memory<D>& array, int id) {
  block_memory::numbers cells;
  block_memory::numbers ghosts{};
  cells.fill(1);
  std::ranges::copy(array.blocks.block(id).extent().along, cells.begin());
  std::ranges::copy(array.blocks.ghosts().along, ghosts.begin());
  const auto elements = block_memory::strides_of(cells, ghosts, array.element_bytes);
  numbers<D> bytes;
  for (std::size_t a = 0; a < D; ++a) {
    bytes[a] = elements[a] * static_cast<std::int64_t>(array.element_bytes);
  }
  return slowest_first<D>(bytes);
}

/// Returns true if `cells` lie in one stretch of memory but for ghosts that nobody fills: along
/// every axis faster than the slowest one they extend along, they span the whole block, which has
/// no neighbour there.
template <int D>
[[nodiscard]] bool nothing_between(const decomposition<D>& blocks, int id, const box<D>& cells) {
  bool inner = false;
  for (std::size_t i = D; i-- > 0; inner = inner || cells.extent(axes<D>[i]) > 1) {
    const axis a = axes<D>[i];
    if (!inner) continue;
    if (cells.extent(a) != blocks.block(id).extent(a) || blocks.has_neighbour(id, a, side::low) ||
        blocks.has_neighbour(id, a, side::high)) {
      return false;
    }
  }
  return true;
}

/// Precondition of `gaps_travel`: both are block arrays.
template <int D>
void add_copies(move_builder& builder, std::span<const block_copy<D>> copies,
                const array_in_memory<D>& from, const array_in_memory<D>& to, bool gaps_travel) {
  builder.reserve(copies.size());
  for (const block_copy<D>& one : copies) {
    const int source_rank = from.blocks.rank_of(one.source);
    const int destination_rank = to.blocks.rank_of(one.destination);
    const bool leaves = source_rank == from.rank;
    const bool arrives = destination_rank == to.rank;
    PLAIT_EXPECTS(leaves || arrives, "a copy of another rank");
    const box<D> there = one.to();
    std::byte* to_cells = nullptr;
    const std::byte* from_cells = nullptr;
    numbers<D> to_strides{};
    numbers<D> from_strides{};
    if (leaves) {
      const block_in_memory<D>& source = block_of(from, one.source);
      from_cells = address(source, one.from.low);
      from_strides = slowest_first<D>(source.strides);
    }
    if (arrives) {
      const block_in_memory<D>& destination = block_of(to, one.destination);
      to_cells = address(destination, there.low);
      to_strides = slowest_first<D>(destination.strides);
    }
    using strides = std::span<const std::int64_t>;
    box_copy copy = make_box_copy(slowest_first<D>(one.from.extent().along), from.element_bytes,
                                  to_cells, arrives ? strides(to_strides) : strides(), from_cells,
                                  leaves ? strides(from_strides) : strides());
    if (gaps_travel && leaves != arrives && nothing_between(from.blocks, one.source, one.from) &&
        nothing_between(to.blocks, one.destination, there)) {
      // As it lies on the rank that has it, and on the other.
      box_copy as_it_lies = copy;
      const auto there_strides =
          strides_of(leaves ? to : from, leaves ? one.destination : one.source);
      for (std::size_t a = 0; a + 1 < D; ++a) {
        (leaves ? as_it_lies.to_step : as_it_lies.from_step)[a] = there_strides[a];
      }
      as_it_lies = as_it_lies.with_gaps();
      if (as_it_lies.loops == 0) copy = as_it_lies;
    }
    move_builder::place where{one.destination, one.source, {}};
    std::ranges::copy(there.low.along, where.low.begin());
    if (leaves && arrives) {
      builder.copy(one.destination, copy);
    } else if (leaves) {
      builder.send(destination_rank, where, copy);
    } else {
      builder.receive(source_rank, where, copy);
    }
  }
}

template <int D>
[[nodiscard]] decomposition<D> with_widths(const decomposition<D>& blocks,
                                           const std::optional<extents<D>>& widths) {
  if (!widths.has_value()) return blocks;
  for (const axis a : axes<D>) {
    if ((*widths)[a] >= 0 && (*widths)[a] <= blocks.ghosts()[a]) continue;
    throw usage_error("ghosts: " + std::to_string((*widths)[a]) + " layers along " + name_of(a) +
                      "; the array has " + std::to_string(blocks.ghosts()[a]));
  }
  return blocks.with_ghosts(*widths);
}

/// Ghosts behind the physical boundary, and the box of the domain that is nearest to them: all of
/// it the block's own cells, or none of it.
template <int D>
struct boundary_box {
  box<D> cells;
  box<D> nearest;
};
template <int D>
[[nodiscard]] std::vector<boundary_box<D>> boundary_boxes(const decomposition<D>& blocks, int id,
                                                          ghost_reach reach) {
  const box<D>& domain = blocks.global();
  const box<D> around = blocks.block_with_ghosts(id);
  std::vector<box<D>> outside;
  if (reach == ghost_reach::all) {
    box<D> inside = around;
    for (const axis a : axes<D>) {
      if (blocks.periodic(a)) continue;
      inside.low[a] = std::max(inside.low[a], domain.low[a]);
      inside.high[a] = std::min(inside.high[a], domain.high[a]);
    }
    outside = subtract(around, inside).boxes();
    cut_at_ends(blocks.block(id), outside);
  } else {
    for (const axis a : axes<D>) {
      if (blocks.periodic(a)) continue;
      box<D> below = blocks.block(id);
      box<D> above = below;
      below.low[a] = around.low[a];
      below.high[a] = std::min(below.low[a] + blocks.ghosts()[a], domain.low[a]);
      above.high[a] = around.high[a];
      above.low[a] = std::max(above.high[a] - blocks.ghosts()[a], domain.high[a]);
      for (const box<D>& some : {below, above})
        if (!some.empty()) outside.push_back(some);
    }
  }
  std::vector<boundary_box<D>> result;
  for (const box<D>& some : outside) {
    box<D> nearest = some;
    for (const axis a : axes<D>) {
      if (blocks.periodic(a)) continue;
      nearest.low[a] = std::clamp(some.low[a], domain.low[a], domain.high[a] - 1);
      nearest.high[a] = std::clamp(some.high[a], domain.low[a] + 1, domain.high[a]);
    }
    result.push_back({some, nearest});
  }
  return result;
}

template <int D>
[[nodiscard]] patch patch_of(const block_in_memory<D>& block, const box<D>& cells,
                             std::size_t element_bytes) {
  return make_patch(slowest_first<D>(cells.extent().along), element_bytes,
                    address(block, cells.low), slowest_first<D>(block.strides));
}

/// The whole domain as one block of rank `root`.
template <int D>
[[nodiscard]] decomposition<D> all_on(int root, const decomposition<D>& blocks) {
  const owned_block<D> all{blocks.global(), root};
  decomposition_options<D> options;
  options.global = blocks.global().extent();
  return decomposition<D>(options, std::span(&all, 1));
}

/// Gives the ghosts of a block their values.
template <int D>
void set_boundary(const block_in_memory<D>& block, std::span<const boundary_box<D>> boxes,
                  const cell_setting<D>& how, std::size_t element_bytes) {
  for (const boundary_box<D>& one : boxes) {
    for_each_cell(one.cells, [&](const point<D>& cell) {
      if (!how.to_nearest) {
        how.set(cell, address(block, cell));
        return;
      }
      point<D> nearest = cell;
      for (const axis a : axes<D>) {
        nearest[a] = std::clamp(cell[a], one.nearest.low[a], one.nearest.high[a] - 1);
      }
      std::memcpy(address(block, cell), address(block, nearest), element_bytes);
    });
  }
}

template <int D>
[[nodiscard]] finishing_touch touch_boundary(const block_in_memory<D>& block,
                                             std::vector<boundary_box<D>> boxes,
                                             const cell_setting<D>& how, std::size_t element_bytes,
                                             bool needs_messages) {
  finishing_touch touch{.needs_messages = needs_messages};
  for (const boundary_box<D>& one : boxes) {
    touch.written.push_back(patch_of(block, one.cells, element_bytes));
    if (how.to_nearest) touch.read.push_back(patch_of(block, one.nearest, element_bytes));
  }
  touch.apply = [block, boxes = std::move(boxes), how, element_bytes] {
    set_boundary<D>(block, boxes, how, element_bytes);
  };
  return touch;
}

}  // namespace

template <int D>
move_plan plan_ghosts(const array_in_memory<D>& u, ghost_reach reach,
                      const std::optional<extents<D>>& widths, const cell_setting<D>& boundary,
                      std::int64_t cells_per_message, bool gaps_travel,
                      const move_options& options) {
  const decomposition<D> blocks = with_widths(u.blocks, widths);
  const bool changes_cells = boundary.to_nearest || boundary.set != nullptr;
  move_builder builder;
  std::vector<block_copy<D>> copies = ghost_copies(blocks, reach, u.rank);
  if (cells_per_message > 0) copies = in_parts(copies, cells_per_message);
  add_copies<D>(builder, copies, u, u, gaps_travel && !changes_cells);
  for (const block_in_memory<D>& block : u.local) {
    if (!changes_cells) break;
    // Those whose nearest cell is itself a ghost come last.
    auto own = boundary_boxes(blocks, block.id, reach);
    const auto first = std::ranges::partition(own, [&](const boundary_box<D>& one) {
      return !boundary.to_nearest || blocks.block(block.id).contains(one.nearest);
    });
    std::vector<boundary_box<D>> others(first.begin(), first.end());
    own.erase(first.begin(), first.end());
    for (auto* boxes : {&own, &others}) {
      if (boxes->empty()) continue;
      builder.finish_with(
          touch_boundary(block, std::move(*boxes), boundary, u.element_bytes, boxes == &others));
    }
  }
  return builder.finish({.name = options.name,
                         .message = cells_per_message > 0 ? messages_per::box : options.message});
}

template <int D>
move_plan plan_moving(const array_in_memory<D>& u, std::span<const block_copy<D>> copies,
                      const copy_options& options) {
  move_builder builder;
  add_copies<D>(builder, copies, u, u, options.gaps_travel);
  return builder.finish({.name = options.name, .message = options.message});
}

template <int D>
move_plan plan_redistribution(const array_in_memory<D>& from, const array_in_memory<D>& to,
                              const move_options& options) {
  move_builder builder;
  add_copies<D>(builder, redistribution_copies(from.blocks, to.blocks, to.rank), from, to, false);
  return builder.finish(options);
}

template <int D>
move_plan plan_gathering(const array_in_memory<D>& from, int root, std::span<std::byte> all,
                         const move_options& options) {
  array_in_memory<D> to{all_on(root, from.blocks), from.rank, from.element_bytes};
  const box<D>& domain = to.blocks.global();
  if (from.rank == root) {
    const std::size_t elements = all.size() / from.element_bytes;
    if (static_cast<std::int64_t>(elements) != domain.size()) {
      throw usage_error(options.name + ": " + std::to_string(elements) +
                        " elements for a domain of " + to_string(domain.extent()) + " cells");
    }
    block_in_memory<D>& one = to.local.emplace_back();
    one.cells = domain;
    one.low = all.data();
    auto stride = static_cast<std::int64_t>(from.element_bytes);
    for (const axis a : axes<D>) {
      one.strides[static_cast<std::size_t>(index_of(a))] = stride;
      stride *= domain.extent(a);
    }
  }
  return plan_redistribution(from, to, options);
}

#define PLAIT_ARRAY_MOVES(D)                                                                   \
  template move_plan plan_ghosts(const array_in_memory<D>&, ghost_reach,                       \
                                 const std::optional<extents<D>>&, const cell_setting<D>&,     \
                                 std::int64_t, bool, const move_options&);                     \
  template move_plan plan_moving(const array_in_memory<D>&, std::span<const block_copy<D>>,    \
                                 const copy_options&);                                         \
  template move_plan plan_redistribution(const array_in_memory<D>&, const array_in_memory<D>&, \
                                         const move_options&);                                 \
  template move_plan plan_gathering(const array_in_memory<D>&, int, std::span<std::byte>,      \
                                    const move_options&);
PLAIT_ARRAY_MOVES(1)
PLAIT_ARRAY_MOVES(2)
PLAIT_ARRAY_MOVES(3)
PLAIT_ARRAY_MOVES(4)

}  // namespace plait::detail
