// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: NPB's way, plain MPI.  Transform what is local, exchange everything in one
// blocking all-to-all, transform the rest.
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/mpi_check.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::activity;
using spectral::sign;

class base final : public variant {
 public:
  explicit base(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem& p) override {
    const spectral::transpose_buffers buffers = p.in_flight.front().buffers();
    to_lines_.emplace(communicator_,
                      spectral::chunk_map(p.shape(), buffers, spectral::transpose::to_lines));
    to_planes_.emplace(communicator_,
                       spectral::chunk_map(p.shape(), buffers, spectral::transpose::to_planes));
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    forward(p);
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      iterate(p);
    }
    p.result = p.in_flight.front().planes.data();
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void forward(problem& p) {
    const spectral::slabs& s = p.shape();
    const iteration_memory& memory = p.in_flight.front();
    p.kernel().rows(memory.planes.data(), s.own_z(), sign::forward);
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().spread_y(memory.planes.data(), memory.buffers(), tile, s.own_z());
    watch_.lap(activity::compute, "x and y lines");
    to_lines_->exchange();
    watch_.lap(activity::exposed, "all-to-all");
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().gather_z(memory.buffers(), p.lines.data(), tile, s.own_y());
    watch_.lap(activity::compute, "z lines");
  }

  void iterate(problem& p) {
    const spectral::slabs& s = p.shape();
    const iteration_memory& memory = p.in_flight.front();
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().spread_z(p.lines.data(), memory.buffers(), tile, s.own_y(), &p.factors());
    watch_.lap(activity::compute, "evolve, z lines");
    to_planes_->exchange();
    watch_.lap(activity::exposed, "all-to-all");
    for (int tile = 0; tile < s.tiles(); ++tile)
      p.kernel().gather_y(memory.buffers(), memory.planes.data(), tile, s.own_z());
    p.kernel().rows(memory.planes.data(), s.own_z(), sign::backward);
    const complex mine = p.sum_of(memory.planes.data(), s.own_z());
    watch_.lap(activity::compute, "y and x lines");
    complex total;
    plait::measure::check_mpi(
        MPI_Reduce(&mine, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, communicator_),
        "MPI_Reduce");
    if (s.rank() == 0) p.sums.push_back(p.checksum(total));
    watch_.lap(activity::exposed, "checksum");
  }

  MPI_Comm communicator_;
  std::optional<spectral::whole_transpose> to_lines_, to_planes_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env);
}

}  // namespace ft
