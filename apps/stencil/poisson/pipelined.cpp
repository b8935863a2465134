// SPDX-License-Identifier: BSD-3-Clause
// Variant `pipelined`: pipelined conjugate gradients as tasks.  Both inner products of an iteration
// are summed over the ranks while w is multiplied; that takes three more vectors, and three more
// recurrences each iteration.  [Ghysels and Vanroose 2014, algorithm 3]
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "rank_sum.hpp"
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
  struct vectors {
    explicit vectors(const problem& p)
        : q(p.whole().blocks(), p.rank()),
          s(p.whole().blocks(), p.rank()),
          z(p.whole().blocks(), p.rank()) {}
    array q, s, z;
  };

  void allocate(problem& p) override {
    more_.emplace(p);
    ghosts_.emplace(p, p.w, options_.ghosts);
    dots_.assign(p.strips().size(), {});
    places_.assign(2 * static_cast<std::size_t>(env_.size()), 0);
    start(p);
  }

  /// w = A r and its ghosts, and the first inner products.
  void start(problem& p) {
    plait::stencil::halo_mpi(plait::native(env_), p.r).exchange();
    const values r = p.block(p.r), w = p.block(p.w);
    for (std::size_t i = 0; i < dots_.size(); ++i) {
      const box& rows = p.strips()[i].rows;
      multiply(r, w[rows]);
      dots_[i] = {dot(r[rows], r[rows]), dot(r[rows], w[rows])};
    }
    plait::stencil::halo_mpi(plait::native(env_), p.w).exchange();
  }

  void submit_iteration(plait::runtime& rt, problem& on) override {
    const values x = on.block(on.x), r = on.block(on.r), p = on.block(on.p), w = on.block(on.w);
    const values q = on.block(more_->q), s = on.block(more_->s), z = on.block(more_->z);
    const std::vector<strip>& strips = on.strips();

    submit_sums(rt);
    for (const strip& one : strips)
      for (const box& cells : one.parts)
        if (!cells.empty()) rt.task("product", multiply, in(w[grow(cells)]), out(q[cells]));
    const auto advance_where = [&](bool is_sent) {
      for (std::size_t i = 0; i < strips.size(); ++i)
        if (const box& rows = strips[i].rows; strips[i].is_sent() == is_sent)
          rt.task("advance", advance, in(q[rows]),
                  inout(x[rows], r[rows], p[rows], s[rows], w[rows], z[rows]), out(dots_[i]),
                  in(c_));
    };
    advance_where(true);  // what is submitted first is sent first
    ghosts_->submit(rt);
    advance_where(false);
  }

  /// r·r and r·w in one sum.
  void submit_sums(plait::runtime& rt) {
    rt.task(
        "add up",
        [](const std::vector<std::array<double, 2>>& dots, std::vector<double>& places, int rank) {
          std::array<double, 2> own{};
          for (const auto& one : dots)
            for (std::size_t i = 0; i < own.size(); ++i) own[i] += one[i];
          const std::span all(places);
          place_own(all.first(all.size() / 2), rank, own[0]);
          place_own(all.last(all.size() / 2), rank, own[1]);
        },
        in(dots_), out(places_), env_.rank());
    rt.allreduce("sum r·r, r·w", inout(places_));
    rt.task(
        "use sums",
        [](const std::vector<double>& places, coefficients& c) {
          const std::span all(places);
          c.both(in_rank_order(all.first(all.size() / 2)), in_rank_order(all.last(all.size() / 2)));
        },
        in(places_), inout(c_));
  }

  void release() override {
    ghosts_.reset();
    more_.reset();
  }

  std::optional<vectors> more_;
  std::optional<halo_tasks> ghosts_;
  std::vector<std::array<double, 2>> dots_;  ///< by strip
  std::vector<double> places_;
};

}  // namespace

std::unique_ptr<variant> make_pipelined(plait::environment& env, const options& chosen) {
  return std::make_unique<pipelined>(env, chosen);
}

}  // namespace poisson
