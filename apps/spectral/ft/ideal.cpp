// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Each rank
// transforms a field that is 0 on all others: the same work, and a result that can be checked.
#include <memory>

#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::activity;

class ideal final : public variant {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }
  void prepare(problem&) override {}

  void run(problem& p, int steps, const step_range& recorded) override {
    const spectral::slabs& s = p.kernel().shape();
    const spectral::passes& kernel = p.kernel();
    const spectral::transform_memory memory = p.memory(0);
    // Keeps apart what is not sent, which must not be taken for what others have sent.
    spectral::transform_memory leaving = memory;
    leaving.column.plane_side = memory.lines;
    watch_.start();
    kernel.spread_x(memory, s.own_z());
    for (int tile = 0; tile < s.tiles(); ++tile) kernel.spread_y(leaving, tile, s.own_z());
    for (int tile = 0; tile < s.tiles(); ++tile) kernel.gather_z(memory, tile, s.own_y());
    watch_.lap(activity::compute, "x, y and z lines");
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      for (int tile = 0; tile < s.tiles(); ++tile)
        kernel.spread_z(memory, tile, s.own_y(), &p.factors());
      watch_.lap(activity::compute, "evolve, z lines");
      for (int tile = 0; tile < s.tiles(); ++tile) kernel.gather_y(memory, tile, s.own_z());
      kernel.gather_x(memory, s.own_z());
      const complex mine = p.sum_of(memory.field, s.own_z());
      if (p.grid().rank() == 0) p.sums.push_back(p.checksum(mine));
      watch_.lap(activity::compute, "y and x lines");
    }
    p.result = memory.field;
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_ideal() {
  return std::make_unique<ideal>();
}

}  // namespace ft
