// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Each block
// solves a problem of its own, with a zero boundary where its neighbours would be: the same work on
// data of the same kind, and a result that can be checked.
#include <memory>
#include <utility>

#include "measure/timeline.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::activity;

class ideal final : public variant {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

  void prepare(problem&) override {}

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      p.relax(p.own());
      watch_.lap(activity::compute, "sweep");
      std::swap(p.u, p.v);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_ideal(plait::environment&) {
  return std::make_unique<ideal>();
}

}  // namespace jacobi3d
