// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: base with communication switched off.  Panels hold stand-ins, sums stay where
// they are computed: the same multiplications on data of the same kind, and a result that can be
// checked.  A transposition is left out, for it is nothing but communication.
#include <algorithm>
#include <memory>
#include <optional>

#include "measure/compare/timeline.hpp"
#include "plain_mpi.hpp"
#include "variant.hpp"

namespace summa {
namespace {

using plait::activity;

class ideal final : public variant {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

  void prepare(problem& p) override {
    buffers_.emplace(p);
    buffers_->fill();
    // Finite numbers stand in for a transpose, too.
    std::fill(p.left.begin(), p.left.end(), 1.0);
    std::fill(p.right.begin(), p.right.end(), 1.0);
  }

  void run(problem& p, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(0, recorded);
    for (const step& s : p.steps) {
      const step_panels panels = buffers_->stand_ins();
      if (p.where.stationary == form::stationary_c) {
        p.multiply(s, panels.x, panels.y, p.c);
      } else {
        p.partial(s, panels.x, panels.y, p.stays(), buffers_->sums(s));
        if (p.owns_sums(s)) p.add(s, buffers_->sums(s), p.c);
      }
      watch_.lap(activity::compute, "multiply");
    }
    p.scale_where_no_step_does();
    watch_.lap(activity::compute, "multiply");
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  std::optional<plain_step> buffers_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_ideal() {
  return std::make_unique<ideal>();
}

}  // namespace summa
