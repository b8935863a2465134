// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: rows that need no messages are computed while messages travel.
#include "exchange.hpp"

using plait::activity;

std::unique_ptr<variant> make_olap(plait::environment& env) {
  return plait::measure::stepwise<ring>([&env](ring& p, plait::measure::stopwatch& watch) {
    exchange ghosts(env, p);
    watch.lap(activity::posting, "post");
    bool done = false;
    for (int row = 2; row < p.rows; ++row) {
      p.diffuse(row, row + 1);
      watch.lap(activity::compute, "inner row");
      if (!done) done = ghosts.test();
      watch.lap(activity::posting, "test");
    }
    ghosts.wait();
    watch.lap(activity::exposed, "wait");
    p.diffuse(1, 2);
    p.diffuse(p.rows, p.rows + 1);
    std::swap(p.u, p.v);
    watch.lap(activity::compute, "outer rows");
  });
}
