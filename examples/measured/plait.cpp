// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: each row and each message is a task that says what it reads and writes.  Steps
// are not separated, which reuses the cache: `plait_ideal` has the same tasks, without messages.
#include <algorithm>

#include "ring.hpp"

using plait::in, plait::out;

namespace {

void row(std::span<const double> three, std::span<double> one, std::size_t columns) {
  ring::diffuse(three, one, columns);
}
void copy(std::span<const double> from, std::span<double> to) {
  std::ranges::copy(from, to.begin());
}

void submit_ghosts(plait::runtime& rt, ring& p, std::vector<double>& u, setting how) {
  const auto one = [&](int r) { return p.part(u, r, r + 1); };
  if (how == setting::isolated) {
    rt.task("copy", copy, in(one(p.rows)), out(one(0)));
    rt.task("copy", copy, in(one(1)), out(one(p.rows + 1)));
    return;
  }
  rt.recv("ghost", out(one(0)), p.above, 0);
  rt.recv("ghost", out(one(p.rows + 1)), p.below, 1);
  rt.send("edge", in(one(p.rows)), p.below, 0);
  rt.send("edge", in(one(1)), p.above, 1);
}

void submit_step(plait::runtime& rt, ring& p, std::vector<double>& from, std::vector<double>& to,
                 setting how) {
  submit_ghosts(rt, p, from, how);
  for (int i = 1; i <= p.rows; ++i)
    rt.task("row", row, in(p.part(from, i - 1, i + 2)), out(p.part(to, i, i + 1)), p.columns);
}

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, plait::runtime_options how,
                                    setting solves) {
  const auto steps = [solves](ring& p) -> plait::measure::task_steps {
    return {.steps = 2, .tasks = 2 * (p.rows + 4ul), .submit = [&p, solves](auto& rt, int count) {
              submit_step(rt, p, p.u, p.v, solves);
              if (count > 1) submit_step(rt, p, p.v, p.u, solves);
            }};
  };
  const auto ended = [](ring& p, int n) { n % 2 != 0 ? std::swap(p.u, p.v) : void(); };
  return plait::measure::tasks_of<ring>(env, how, steps, ended, solves);
}
