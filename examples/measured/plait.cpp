// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: each row and each message is a task that says what it reads and writes.
#include "ring.hpp"

using plait::in, plait::out;

namespace {

void row(std::span<const double> three, std::span<double> one, std::size_t columns) {
  ring::diffuse(three, one, columns);
}

void submit_step(plait::runtime& rt, ring& p, std::vector<double>& from, std::vector<double>& to) {
  rt.recv("ghost", out(p.part(from, 0, 1)), p.above, 0);
  rt.recv("ghost", out(p.part(from, p.rows + 1, p.rows + 2)), p.below, 1);
  rt.send("edge", in(p.part(from, p.rows, p.rows + 1)), p.below, 0);
  rt.send("edge", in(p.part(from, 1, 2)), p.above, 1);
  for (int i = 1; i <= p.rows; ++i)
    rt.task("row", row, in(p.part(from, i - 1, i + 2)), out(p.part(to, i, i + 1)), p.columns);
}

class tasks final : public plait::measure::task_variant<ring> {
  using task_variant::task_variant;

  plait::measure::task_steps steps_of(ring& p) override {
    return {.steps = 2, .tasks = 2 * (p.rows + 4ul), .submit = [&p](auto& rt, int count) {
              submit_step(rt, p, p.u, p.v);
              if (count > 1) submit_step(rt, p, p.v, p.u);
            }};
  }
  void ended(ring& p, int steps) override {
    if (steps % 2 != 0) std::swap(p.u, p.v);
  }
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, plait::measure::task_options how) {
  return std::make_unique<tasks>(env, how);
}
