// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as the paper of SUMMA has it.  Each step broadcasts its panels and
// waits for them, then multiplies.
#include <memory>
#include <optional>

#include "measure/compare/timeline.hpp"
#include "plain_mpi.hpp"
#include "variant.hpp"

namespace summa {
namespace {

using plait::activity;

class base final : public variant {
 public:
  void prepare(problem& p) override {
    buffers_.emplace(p);
    operands_.emplace(p);
  }

  void run(problem& p, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(0, recorded);
    if (p.of_a || p.of_b) {
      operands_->run();
      watch_.lap(activity::exposed, "transpose");
    }
    for (const step& s : p.steps) {
      buffers_->broadcast(s);
      watch_.lap(activity::exposed, "broadcast");
      if (p.where.stationary == form::stationary_c) {
        const step_panels now = buffers_->panels(s);
        p.multiply(s, now.x, now.y, p.c);
        watch_.lap(activity::compute, "multiply");
      } else {
        add_up(p, s);
      }
    }
    p.scale_where_no_step_does();
    watch_.lap(activity::compute, "multiply");
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void add_up(problem& p, const step& s) {
    const step_panels now = buffers_->panels(s);
    p.partial(s, now.x, now.y, p.stays(), buffers_->sums(s));
    watch_.lap(activity::compute, "multiply");
    buffers_->reduce(s);
    watch_.lap(activity::exposed, "reduce");
    if (!p.owns_sums(s)) return;
    p.add(s, buffers_->totals(s), p.c);
    watch_.lap(activity::compute, "add");
  }

  std::optional<plain_step> buffers_;
  std::optional<plain_transposition> operands_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base() {
  return std::make_unique<base>();
}

}  // namespace summa
