// SPDX-License-Identifier: BSD-3-Clause
// Tasks of mixed programs that access the star of some cells, in blocks that others touch as bytes.
#include <algorithm>
#include <utility>

#include <plait/array/block_memory.hpp>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

/// Place of a block's cells in its region.
struct block_place {
  std::size_t region = 0;
  int id = 0;
  box<2> all;  ///< with ghosts
  std::int64_t stride = 0;

  block_place(const decomposition<2>& tiles, int rank, std::size_t place)
      : region(1 + place), id(tiles.blocks_of(rank)[place]), all(tiles.block_with_ghosts(id)) {
    const box<2> own = tiles.block(id);
    block_memory::numbers cells{1, 1, 1, 1};
    block_memory::numbers ghosts{};
    for (std::size_t a = 0; a < 2; ++a) {
      cells[a] = own.extent().along[a];
      ghosts[a] = tiles.ghosts().along[a];
    }
    stride = block_memory::strides_of(cells, ghosts, sizeof(word))[1];
  }
  [[nodiscard]] piece of(const box<2>& cells) const {
    const auto size = static_cast<std::int64_t>(sizeof(word));
    const extents<2> from = cells.low - all.low;
    const extents<2> n = cells.extent();
    strided_bytes at{
        .begin = static_cast<std::uintptr_t>((from.along[1] * stride + from.along[0]) * size),
        .row_bytes = static_cast<std::size_t>(n.along[0] * size)};
    at.axes[0] = {n.along[1], stride * size};
    return {region, at};
  }
};

/// Calls `use(word&)` for each cell of the star.
template <class T, class Use>
void for_each_cell_of(const view<T, 2>& around, const box_star<2>& cells, Use use) {
  for_each_cell(cells.around(), [&](const point<2>& p) {
    if (std::ranges::any_of(cells, [&p](const box<2>& one) { return one.contains(p); }))
      use(around[p]);
  });
}

class star_task final : public statement {
 public:
  star_task(int rank, block_place where, const box_star<2>& cells, access_mode mode,
            std::uint64_t salt, bool passes, piece result)
      : rank_(rank),
        where_(where),
        cells_(cells),
        mode_(mode),
        salt_(salt),
        passes_(passes),
        result_(result) {}

  void apply(job_memory& job) const override {
    rank_memory& memory = *job[static_cast<std::size_t>(rank_)];
    run(memory.blocks.block(where_.id), memory);
  }

  void submit(live_rank& here) const override {
    const auto star_of_block = here.memory.blocks.block(where_.id)[cells_];
    switch (mode_) {
      case access_mode::in:
        return submit_with(here, in(star_of_block));
      case access_mode::commutative:
        return submit_with(here, commutative(star_of_block));
      default:
        return submit_with(here, inout(star_of_block));
    }
  }

  [[nodiscard]] bool takes_part(int rank) const override { return rank == rank_; }
  [[nodiscard]] std::vector<touch> touches(int) const override {
    std::vector<touch> all{{result_, true}};
    for (const box<2>& one : cells_) all.push_back({where_.of(one), writes(mode_)});
    return all;
  }
  [[nodiscard]] std::string text() const override {
    static constexpr const char* modes[] = {"", "in", "out", "inout", "commutative"};
    return "rank " + std::to_string(rank_) + ": task: " + modes[static_cast<std::size_t>(mode_)] +
           "(star in " + plait::to_string(cells_.around()) + " of block " +
           std::to_string(where_.id) + ", width " + std::to_string(cells_.width()) +
           (passes_ ? ", passed) out(" : ") out(") + to_string(result_) + ")";
  }
  [[nodiscard]] bool may_move() const override { return true; }

 private:
  template <class Access>
  void submit_with(live_rank& here, const Access& access) const {
    const auto result = out(bytes_of(here.memory, result_));
    if (passes_) {
      here.rt.task(
          "star",
          [](auto around, std::span<byte>, const star_task* self, rank_memory* memory) {
            self->run(around, *memory);
          },
          access, result, this, &here.memory);
    } else {
      here.rt
          .task(
              "star",
              [](std::span<byte>, const star_task* self, rank_memory* memory) {
                self->run(memory->blocks.block(self->where_.id), *memory);
              },
              result, this, &here.memory)
          .also(access);
    }
  }

  /// The result tells what was read, in order; of commutative tasks, which must not read, nothing.
  template <class T>
  void run(const view<T, 2>& around, rank_memory& memory) const {
    std::uint64_t h = salt_;
    const auto take = [&h](std::uint64_t value) {
      h = (h ^ value) * 0x100000001B3U;
      h = (h << 23U) | (h >> 41U);
    };
    for_each_cell_of(around, cells_, [&](T& cell) {
      take(mode_ == access_mode::commutative ? 1 : cell);
      if constexpr (!std::is_const_v<T>) {
        if (mode_ == access_mode::inout) cell ^= static_cast<word>(h >> 32U);
        if (mode_ != access_mode::commutative) return;
        // Byte by byte, as the other commutative tasks add.
        auto* const bytes = reinterpret_cast<volatile byte*>(&cell);
        for (std::size_t i = 0; i < sizeof(word); ++i) {
          const byte before = bytes[i];
          bytes[i] = static_cast<byte>(before + static_cast<byte>(h >> (8U * i + 16U)));
        }
      }
    });
    for_each_byte(address(memory, result_), [&](byte& b) {
      take(2);
      b = static_cast<byte>(h >> 32U);
    });
  }

  int rank_;
  block_place where_;
  box_star<2> cells_;
  access_mode mode_;
  std::uint64_t salt_;
  bool passes_;
  piece result_;
};

}  // namespace

statement_ptr random_star_task(generator& g, const scene& s) {
  const int rank = s.any_rank(g);
  const decomposition<2>& tiles = s.array->tiles;
  const auto mine = tiles.blocks_of(rank);
  if (mine.empty()) return nullptr;
  const block_place where(tiles, rank, g.below(mine.size()));
  const auto width = static_cast<std::int64_t>(g.below(3));
  const box<2> room = shrink(where.all, extents<2>(width));
  if (room.empty()) return nullptr;
  box<2> drawn;
  for (const axis a : axes<2>) {
    const auto n = static_cast<std::size_t>(room.extent(a));
    const std::size_t low = g.below(n);
    drawn.low[a] = room.low[a] + static_cast<std::int64_t>(low);
    drawn.high[a] =
        drawn.low[a] + static_cast<std::int64_t>(g.between(1, std::min<std::size_t>(n - low, 4)));
  }
  const access_mode mode = g.one_of({access_mode::in, access_mode::in, access_mode::in,
                                     access_mode::inout, access_mode::commutative});
  const piece result = random_range(g, {arena_region, 0, arena::general_words * sizeof(word)});
  return std::make_unique<star_task>(rank, where, star(drawn, width), mode, g.bits(), g.chance(0.7),
                                     result);
}

}  // namespace plait::test::mix
