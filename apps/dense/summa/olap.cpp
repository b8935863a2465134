// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with look-ahead by hand.  The panels of the next step travel while this
// one multiplies, in pieces, with a look at the messages after each.  Variant `split` multiplies in
// one piece and never looks.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "measure/compare/timeline.hpp"
#include "plain_mpi.hpp"
#include "variant.hpp"

namespace summa {
namespace {

using plait::activity;

// Some milliseconds of dgemm: often enough to keep a gigabit link busy, seldom enough to cost
// nothing.
constexpr std::int64_t columns_between_looks = 64;

class olap final : public variant {
 public:
  explicit olap(bool looks) : looks_(looks) {}

  void prepare(problem& p) override {
    steps_.clear();
    for (int i = 0; i < 2; ++i) steps_.emplace_back(p);
    operands_.emplace(p);
  }

  void run(problem& p, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(0, recorded);
    if (p.of_a || p.of_b) {
      operands_->run();
      watch_.lap(activity::exposed, "transpose");
    }
    if (!p.steps.empty()) start(p.steps[0], 0);
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
      const step& s = p.steps[i];
      plain_step& now = steps_[i % 2];
      now.wait();
      watch_.lap(activity::exposed, "wait");
      if (p.where.stationary == form::stationary_c) {
        if (i + 1 < p.steps.size()) start(p.steps[i + 1], i + 1);
        multiply(p, s, now, steps_[(i + 1) % 2]);
      } else {
        add_up(p, i);
      }
    }
    if (p.where.stationary != form::stationary_c && !p.steps.empty()) add(p, p.steps.size() - 1);
    p.scale_where_no_step_does();
    watch_.lap(activity::compute, "multiply");
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void start(const step& s, std::size_t number) {
    steps_[number % 2].start_broadcast(s);
    watch_.lap(activity::posting, "start");
  }

  void multiply(problem& p, const step& s, const plain_step& now, plain_step& next) {
    bool done = false;
    const step_panels panels = now.panels(s);
    const std::int64_t columns = p.c_columns();
    const std::int64_t piece = looks_ ? columns_between_looks : columns;
    for (std::int64_t first = 0; first < columns; first += piece) {
      p.multiply(s, panels.x, panels.y.subspan(static_cast<std::size_t>(first * s.width)),
                 p.columns_of_c(first, std::min(piece, columns - first)));
      watch_.lap(activity::compute, "multiply");
      if (done || !looks_) continue;
      done = next.test();
      watch_.lap(activity::posting, "look");
    }
  }

  /// The sums of a step travel while the next one multiplies, and so do the panels of that.
  void add_up(problem& p, std::size_t i) {
    const step& s = p.steps[i];
    plain_step& now = steps_[i % 2];
    const step_panels panels = now.panels(s);
    p.partial(s, panels.x, panels.y, p.stays(), now.sums(s));
    watch_.lap(activity::compute, "multiply");
    now.start_reduce(s);
    watch_.lap(activity::posting, "start");
    if (i > 0) add(p, i - 1);
    if (i + 1 < p.steps.size()) start(p.steps[i + 1], i + 1);
  }

  void add(problem& p, std::size_t i) {
    plain_step& before = steps_[i % 2];
    before.wait();
    watch_.lap(activity::exposed, "wait");
    if (!p.owns_sums(p.steps[i])) return;
    p.add(p.steps[i], before.totals(p.steps[i]), p.c);
    watch_.lap(activity::compute, "add");
  }

  bool looks_;
  std::vector<plain_step> steps_;
  std::optional<plain_transposition> operands_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_olap() {
  return std::make_unique<olap>(true);
}

std::unique_ptr<variant> make_split() {
  return std::make_unique<olap>(false);
}

}  // namespace summa
