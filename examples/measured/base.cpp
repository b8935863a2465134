// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: exchange, then compute.  Variant `ideal`: without messages.
#include <algorithm>

#include "exchange.hpp"

using plait::activity, plait::measure::stopwatch;

std::unique_ptr<variant> make_base(plait::environment& env) {
  return plait::measure::stepwise<ring>([&env](ring& p, stopwatch& watch) {
    exchange ghosts(env, p);
    watch.lap(activity::posting, "post");
    ghosts.wait();
    watch.lap(activity::exposed, "wait");
    p.diffuse(1, p.rows + 1);
    std::swap(p.u, p.v);
    watch.lap(activity::compute, "rows");
  });
}

std::unique_ptr<variant> make_ideal() {
  const auto step = [](ring& p, stopwatch& watch) {
    std::ranges::copy(p.part(p.u, p.rows, p.rows + 1), p.part(p.u, 0, 1).begin());
    std::ranges::copy(p.part(p.u, 1, 2), p.part(p.u, p.rows + 1, p.rows + 2).begin());
    p.diffuse(1, p.rows + 1);
    std::swap(p.u, p.v);
    watch.lap(activity::compute, "rows");
  };
  return plait::measure::stepwise<ring>(step, setting::isolated);
}
