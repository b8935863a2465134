// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Credit the whole image, then MPI_Allreduce.
#include <memory>

#include <plait/comm/mpi.hpp>

#include "measure/mpi_check.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace osem {
namespace {

using plait::activity;

class base final : public variant {
 public:
  explicit base(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem&) override {}

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      if (p.is_list()) {
        p.trace(step);
        watch_.lap(activity::compute, "trace");
      }
      p.forward_all(step);
      p.compare_all(step);
      watch_.lap(activity::compute, "forward");
      for (int s = 0; s < p.slabs(); ++s) p.credit_slab(step, s);
      watch_.lap(activity::compute, "credit");
      sum_over_ranks(p);
      watch_.lap(activity::exposed, "allreduce");
      for (int s = 0; s < p.slabs(); ++s) p.update_slab(setting::distributed, step, s);
      watch_.lap(activity::compute, "update");
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void sum_over_ranks(problem& p) {
    plait::measure::check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, p.credits.data(), static_cast<int>(p.credits.size()),
                      MPI_INT64_T, MPI_SUM, communicator_),
        "MPI_Allreduce");
  }

  MPI_Comm communicator_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env);
}

}  // namespace osem
