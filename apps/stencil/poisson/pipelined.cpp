// SPDX-License-Identifier: BSD-3-Clause
// Variant `pipelined`: pipelined conjugate gradients as tasks.  Both inner products of an iteration
// are summed over the ranks while w is multiplied; that takes three more vectors, and three more
// recurrences each iteration.  [Ghysels and Vanroose 2014, algorithm 3]
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/halo_mpi.hpp"
#include "task_variant.hpp"

namespace poisson {
namespace {

using plait::in;
using plait::inout;
using plait::out;

class pipelined final : public task_variant {
 public:
  using task_variant::task_variant;

 private:
  void allocate(problem& p) override {
    more_.clear();
    for (int i = 0; i < 3; ++i) more_.emplace_back(p.whole().blocks(), p.rank());
    ghosts_.emplace(env_, p.w, options_.ghosts);
    dots_.assign(2 * p.strips().size(), 0);
    start(p);
  }

  /// w = A r and its ghosts, and the first inner products.
  void start(problem& p) {
    plait::stencil::halo_mpi(plait::native(env_), p.r).exchange();
    const values r = p.block(p.r), w = p.block(p.w);
    for (std::size_t i = 0; i < p.strips().size(); ++i) {
      const box& rows = p.strips()[i].rows;
      multiply(r, w[rows]);
      dots_[2 * i] = dot(r[rows], r[rows]);
      dots_[2 * i + 1] = dot(r[rows], w[rows]);
    }
    plait::stencil::halo_mpi(plait::native(env_), p.w).exchange();
  }

  void submit_iteration(plait::runtime& rt, problem& on) override {
    const values x = on.block(on.x), r = on.block(on.r), p = on.block(on.p), w = on.block(on.w);
    const values q = on.block(more_[0]), s = on.block(more_[1]), z = on.block(more_[2]);
    const std::vector<strip>& strips = on.strips();

    sums_.submit(rt, dots_, c_, [](coefficients& c, auto sums) { c.both(sums[0], sums[1]); });
    for (const strip& one : strips)
      for (const box& cells : one.parts)
        if (!cells.empty()) rt.task("product", multiply, in(w[grow(cells)]), out(q[cells]));
    const auto advance_where = [&](bool is_sent) {
      for (std::size_t i = 0; i < strips.size(); ++i)
        if (const box& rows = strips[i].rows; strips[i].is_sent() == is_sent)
          rt.task("advance", poisson::advance, in(q[rows]),
                  inout(x[rows], r[rows], p[rows], s[rows], w[rows], z[rows]),
                  out(std::span(dots_).subspan(2 * i, 2)), in(c_));
    };
    advance_where(true);  // what is submitted first is sent first
    ghosts_->submit(rt);
    advance_where(false);
  }

  std::vector<array> more_;  ///< q, s and z
  std::optional<plait::stencil::ghost_tasks> ghosts_;
  std::vector<double> dots_;  ///< r·r and r·w by strip
  plait::measure::sum_tasks sums_{env_, "sum r·r, r·w", {.count = 2}};
};

}  // namespace

std::unique_ptr<variant> make_pipelined(plait::environment& env, const options& chosen) {
  return std::make_unique<pipelined>(env, chosen);
}

}  // namespace poisson
