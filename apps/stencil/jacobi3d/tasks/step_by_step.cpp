// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel.hpp"
#include "tasks/sweep.hpp"

namespace jacobi3d {
namespace {

using block_copy = plait::block_copy<3>;

// Pieces of about a millisecond: the worker then looks after messages between two of them before
// the proxy has to interrupt it, and the planes two pieces share are still in the cache.  (Compared
// with twice and half of it, interleaved, on two nodes: the least time over `ideal` of the three.)
constexpr std::int64_t cells_per_piece = std::int64_t{1} << 20;

/// A face, one cell thick, cut across its slower side into parts of about `cells`: the same way on
/// whatever rank.
std::vector<box> parts_of(const box& face, std::int64_t cells) {
  const axis along = face.extent(axis::z) == 1 ? axis::y : axis::z;
  plait::extents<3> largest = face.extent();
  const std::int64_t row = face.size() / largest[along];
  largest[along] = std::max<std::int64_t>(1, cells / row);
  return plait::cut_small(face, largest);
}

/// What fills the ghosts of u, in messages of a part each.
plait::move_plan ghosts_in_parts(array& u) {
  std::vector<block_copy> parts;
  for (block_copy one : plait::ghost_copies(u.blocks(), plait::ghost_reach::faces, u.rank()))
    for (const box& part : parts_of(one.from, cells_per_message)) {
      one.from = part;
      parts.push_back(one);
    }
  return plait::moving(u, parts, {.name = "ghosts", .gaps_travel = true});
}

class step_by_step final : public sweep {
 public:
  explicit step_by_step(problem& p)
      : p_(p),
        stores_(stores_for(p.own())),
        ghosts_of_u_(ghosts_in_parts(p.u)),
        ghosts_of_v_(ghosts_in_parts(p.v)) {
    const plait::interior_and_rim<3> block = p.parts();
    for (const box& face : block.rim)
      for (const box& part : parts_of(face, 4 * cells_per_message)) rim_.push_back(part);
    interior_ = plait::cut_in_tiles(
        block.interior, {.rows = tile_rows(p.u.block(p.block())), .cells = cells_per_piece});
  }

  [[nodiscard]] int steps() const noexcept override { return 2; }

  [[nodiscard]] std::size_t tasks() const noexcept override {
    return 2 * (interior_.size() + rim_.size() + ghosts_of_u_.tasks());
  }

  void submit(plait::runtime& rt, int count) override {
    submit_step(rt, ghosts_of_u_, p_.u, p_.v);
    if (count > 1) submit_step(rt, ghosts_of_v_, p_.v, p_.u);
  }

 private:
  void submit_step(plait::runtime& rt, const plait::move_plan& ghosts, const array& from,
                   array& to) {
    rt.move(ghosts);
    for (const box& cells : interior_)
      submit_relax(rt, "interior", plait::normal, from, p_.b, to, cells, stores_);
    for (const box& cells : rim_)
      submit_relax(rt, "rim", plait::high, from, p_.b, to, cells, stores_);
  }

  problem& p_;
  const stores stores_;
  const plait::move_plan ghosts_of_u_;
  const plait::move_plan ghosts_of_v_;
  std::vector<box> interior_;
  std::vector<box> rim_;
};

}  // namespace

void submit_relax(plait::runtime& rt, plait::task_name name, plait::priority urgency,
                  const array& from, const array& b, array& to, const box& some, stores how) {
  rt.task(name, relax, in(from[star(some)]), in(b[some]), out(to[some]), how).priority(urgency);
}

std::unique_ptr<sweep> make_step_by_step(problem& p) {
  return std::make_unique<step_by_step>(p);
}

}  // namespace jacobi3d
