// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: NPB's way, plain MPI.  Transform what is local, exchange everything in one
// blocking all-to-all, transform the rest.  In pencils there are two exchanges, of the row and of
// the column.
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::activity;

class base final : public variant {
 public:
  explicit base(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem& p) override {
    if (!ranks_) ranks_.emplace(communicator_, p.grid());
    to_lines_.emplace(*ranks_, p.grid(), p.memory(0), spectral::transpose::to_lines);
    to_planes_.emplace(*ranks_, p.grid(), p.memory(0), spectral::transpose::to_planes);
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    forward(p);
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      iterate(p);
    }
    p.result = p.memory(0).field;
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void exchange_row(const problem& p, spectral::whole_transposes& way) {
    if (p.grid().are_slabs()) return;
    way.exchange_row();
    watch_.lap(activity::exposed, "all-to-all of the row");
  }

  void forward(problem& p) {
    const spectral::slabs& s = p.kernel().shape();
    const spectral::transform_memory memory = p.memory(0);
    p.kernel().spread_x(memory, s.own_z());
    watch_.lap(activity::compute, "x lines");
    exchange_row(p, *to_lines_);
    for (int tile = 0; tile < s.tiles(); ++tile) p.kernel().spread_y(memory, tile, s.own_z());
    watch_.lap(activity::compute, "y lines");
    to_lines_->exchange_column();
    watch_.lap(activity::exposed, "all-to-all");
    for (int tile = 0; tile < s.tiles(); ++tile) p.kernel().gather_z(memory, tile, s.own_y());
    watch_.lap(activity::compute, "z lines");
  }

  void iterate(problem& p) {
    const spectral::slabs& s = p.kernel().shape();
    const spectral::transform_memory memory = p.memory(0);
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().spread_z(memory, tile, s.own_y(), &p.factors());
    watch_.lap(activity::compute, "evolve, z lines");
    to_planes_->exchange_column();
    watch_.lap(activity::exposed, "all-to-all");
    for (int tile = 0; tile < s.tiles(); ++tile) p.kernel().gather_y(memory, tile, s.own_z());
    watch_.lap(activity::compute, "y lines");
    exchange_row(p, *to_planes_);
    p.kernel().gather_x(memory, s.own_z());
    const complex mine = p.sum_of(memory.field, s.own_z());
    watch_.lap(activity::compute, "x lines");
    complex total;
    plait::measure::check_mpi(
        MPI_Reduce(&mine, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, communicator_),
        "MPI_Reduce");
    if (p.grid().rank() == 0) p.sums.push_back(p.checksum(total));
    watch_.lap(activity::exposed, "checksum");
  }

  MPI_Comm communicator_;
  std::optional<spectral::grid_communicators> ranks_;
  std::optional<spectral::whole_transposes> to_lines_, to_planes_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env);
}

}  // namespace ft
