// SPDX-License-Identifier: BSD-3-Clause
// Variant `tiles`: the tasks of `plait` in another order, in which a tile of cells takes several
// steps while it is in the cache, messages and all.  So it computes in less time than base, which
// hides nothing: its computation alone is `tiles_ideal`, the same tasks without messages, each rank
// on a problem of its own.
//
// The rows of a tile move back by one with every step, so that it needs what it and the tile before
// it have computed; its planes follow each other as a wave, each a step behind the next. [Wonnacott
// 2002, time skewing; McCalpin and Wonnacott 1999]  Nobody waits for a step to end, so what is
// there of a neighbour's planes decides how far a tile gets, and nothing else does.  Messages are
// as wide as tiles.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "tasks/tasks.hpp"

namespace jacobi3d {
namespace {

using block_copy = plait::block_copy<3>;

/// A face in z: what the two ranks copy into each other's ghosts, and the plane on this side.
struct face {
  std::int64_t plane = 0;
  std::vector<block_copy> copies;
};

std::vector<face> faces_of(const problem& p) {
  std::vector<face> faces(2);
  faces[0].plane = p.cells().low[axis::z];
  faces[1].plane = p.cells().high[axis::z] - 1;
  const plait::decomposition<3>& blocks = p.whole().blocks();
  for (const block_copy& one : plait::ghost_copies(blocks, plait::ghost_reach::faces, p.rank())) {
    const bool leaves = blocks.rank_of(one.source) == p.rank();
    const int other = leaves ? one.destination : one.source;
    const bool above = blocks.block(other).low[axis::z] > faces[0].plane;
    faces[above ? 1 : 0].copies.push_back(one);
  }
  std::erase_if(faces, [](const face& f) { return f.copies.empty(); });
  return faces;
}

/// Neighbouring planes that are computed together, and the faces among them.
struct slab {
  std::int64_t z0 = 0;
  std::int64_t z1 = 0;
  std::vector<const face*> faces = {};
};

/// A step of a tile's slab, after the messages it needs or that need the step before.
struct item {
  int step = 0;
  box cells;
  bool rim = false;
  std::vector<plait::move_plan> moves = {};
};

class time_tiles {
 public:
  time_tiles(problem& p, const tile_shape& tile, setting solves)
      : p_(p), depth_(tile.depth), rows_(tile.rows), solves_(solves) {
    const std::vector<face> faces = faces_of(p);
    const std::vector<slab> slabs = cut_along_z(faces);
    const std::int64_t tiles = (p.cells().extent(axis::y) + depth_ - 1 + rows_ - 1) / rows_;
    const auto waves = static_cast<int>(slabs.size()) + depth_ - 1;
    for (int number = 0; number < tiles; ++number)
      for (int wave = 0; wave < waves; ++wave)
        for (int step = 0; step < depth_; ++step) {
          const int at = wave - step;
          if (at >= 0 && at < std::ssize(slabs))
            add(number, slabs[static_cast<std::size_t>(at)], step);
        }
  }

  [[nodiscard]] std::size_t tasks() const noexcept {
    std::size_t count = items_.size();
    for (const item& one : items_)
      for (const plait::move_plan& ghosts : one.moves) count += ghosts.tasks();
    return count;
  }

  void submit(plait::runtime& rt, int count) {
    for (const item& one : items_) {
      if (one.step >= count) continue;
      for (const plait::move_plan& ghosts : one.moves) rt.move(ghosts);
      submit_relax(rt, one.rim, before(one.step), p_.b, before(one.step + 1), one.cells,
                   stores::cached);
    }
  }

 private:
  /// Returns what a step reads, and the one before it has written.
  [[nodiscard]] array& before(int step) const { return step % 2 == 0 ? p_.u : p_.v; }

  [[nodiscard]] std::vector<slab> cut_along_z(const std::vector<face>& faces) const {
    const box& own = p_.cells();
    // Thick enough for a task to be worth its while where rows are short and few.
    const std::int64_t thickness =
        std::max<std::int64_t>(1, cells_per_message / (own.extent(axis::x) * rows_));
    std::vector<slab> slabs;
    for (std::int64_t z = own.low[axis::z]; z < own.high[axis::z]; z = slabs.back().z1) {
      slab& one = slabs.emplace_back(slab{z, std::min(z + thickness, own.high[axis::z])});
      for (const face& f : faces) {
        if (f.plane == z) {
          one.z1 = z + 1;
          one.faces.push_back(&f);
        } else if (f.plane > z) {
          one.z1 = std::min(one.z1, f.plane);
        }
      }
    }
    return slabs;
  }

  void add(int tile, const slab& planes, int step) {
    const box& own = p_.cells();
    const auto row = [&](std::int64_t at) {
      return std::clamp(own.low[axis::y] + at * rows_ - step, own.low[axis::y], own.high[axis::y]);
    };
    box cells = own;
    cells.low[axis::y] = row(tile);
    cells.high[axis::y] = row(tile + 1);
    cells.low[axis::z] = planes.z0;
    cells.high[axis::z] = planes.z1;
    if (cells.empty()) return;
    item& one = items_.emplace_back(item{step, cells, !planes.faces.empty()});
    if (solves_ == setting::isolated) return;
    for (const face* f : planes.faces) one.moves.push_back(ghosts(*f, cells, before(step)));
  }

  /// Of a face's ghosts those in the rows of these cells, for both ranks.
  [[nodiscard]] static plait::move_plan ghosts(const face& f, const box& cells, array& u) {
    std::vector<block_copy> copies = f.copies;
    for (block_copy& one : copies) {
      one.from.low[axis::y] = cells.low[axis::y];
      one.from.high[axis::y] = cells.high[axis::y];
    }
    return plait::moving(u, copies, {.name = "ghosts", .gaps_travel = true});
  }

  problem& p_;
  const int depth_;
  const std::int64_t rows_;
  const setting solves_;
  std::vector<item> items_;
};

}  // namespace

std::unique_ptr<variant> make_tiles(plait::environment& env, const options& chosen,
                                    setting solves) {
  plait::runtime_options how = chosen.runtime;
  if (solves == setting::isolated)
    how.engine.policy = plait::progress::none;  // nothing to look after
  const auto steps_of = [tile = chosen.tile, solves](problem& p) -> plait::measure::task_steps {
    PLAIT_EXPECTS(tile.depth >= 2 && tile.depth % 2 == 0 && tile.rows >= 1,
                  fmt::format("{} steps, {} rows", tile.depth, tile.rows));
    const auto tiles = std::make_shared<time_tiles>(p, tile, solves);
    return {.steps = tile.depth, .tasks = tiles->tasks(), .submit = [tiles](auto& rt, int count) {
              tiles->submit(rt, count);
            }};
  };
  return plait::measure::tasks_of<problem>(env, how, steps_of, swap_if_odd, solves);
}

}  // namespace jacobi3d
