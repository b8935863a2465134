// SPDX-License-Identifier: BSD-3-Clause
// Policies MT(k): one process a node, whose threads sweep its block together.  The node's ghosts
// are exchanged by its master thread, before a sweep or, with OLAP, under the cells that need none
// of them; then the annulus follows.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "crew.hpp"
#include "ghosts.hpp"
#include "measure/compare/stepwise.hpp"
#include "phase_watch.hpp"
#include "shares.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::activity;
using plait::measure::stopwatch;

/// The ghosts of a node by plait's mover, driven as KeLP's is: start, compute, wait.  XTRA has a
/// proxy thread; without it messages move in `start` and `wait` only.
struct multi_tier_step {
  multi_tier_step(problem& p, plait::environment* env, const policy& policy_of, slow_worker slow,
                  std::int64_t message_cells)
      : how(policy_of),
        engine(*env,
               {.policy = how.proxy ? progress_of_proxy(*env, how.threads) : plait::progress::none,
                .workers = how.threads}),
        ghosts{plait::mover(ghosts_of_colour(*env, p, colour::red, message_cells), engine),
               plait::mover(ghosts_of_colour(*env, p, colour::black, message_cells), engine)},
        threads(make_crew(*env, p, how, slow)),
        senders(senders_to(p)) {}

  void operator()(problem&, stopwatch& watch) {
    for (const colour c : both_colours) sweep(c, watch);
  }

  void sweep(colour c, stopwatch& watch) {
    plait::mover& others = ghosts[index_of(other(c))];
    const plait::ticks start = plait::now_ticks();
    phases.begins();
    waited.measure([&] { others.start(); });
    watch.lap(activity::posting, "start");
    phases.posted();
    if (how.overlap) {
      const double before = threads->mean_computed_s();
      compute(part::interior, c, "interior", watch);
      phases.record().inner_computed_s += threads->mean_computed_s() - before;
    }
    phases.swept_inner();
    waited.measure([&] { others.wait(); });
    phases.waited();
    const double before = threads->mean_computed_s();
    watch.lap(activity::exposed, "wait");
    if (watch.recording())
      for (const int peer : senders)
        watch.add_message("receive from " + std::to_string(peer), {.sent = false, .peer = peer},
                          start, plait::now_ticks());
    if (how.overlap) {
      compute(part::rim, c, "annulus", watch);
    } else {
      compute(part::whole, c, c == colour::red ? "red" : "black", watch);
    }
    phases.swept_after();
    phases.record().after_computed_s += threads->mean_computed_s() - before;
  }

  void compute(part which, colour c, const char* name, stopwatch& watch) {
    threads->compute(which, c);
    watch.lap(activity::compute, name);
  }

  /// While the master exchanges, the others have nothing to do and messages are in flight; what is
  /// left of a sweep's time is spent at its barrier.
  void add_to(run_report& report) const {
    const plait::ledger_entry master = report.ledger.front();
    report.ledger.clear();
    for (const time_spent& computed : threads->computed()) {
      plait::ledger_entry worker = master;
      worker.worker = static_cast<int>(report.ledger.size());
      worker.compute_s = std::min(computed.seconds(), master.compute_s);
      worker.idle_s = master.compute_s - worker.compute_s;
      if (worker.worker > 0) {
        worker.exposed_s += worker.posting_s;
        worker.posting_s = 0;
      }
      report.ledger.push_back(worker);
    }
    report.workers = how.threads;
    report.figures = {{"wait_s", waited.seconds()}, {"compute_s", master.compute_s}};
    report.words["progress"] = engine.chosen().name;
    report.words["binding"] = threads->binding_said();
    if (engine.chosen().proxy) report.proxy_cpu_s = engine.statistics().proxy_cpu_s;
    report.phases = phases.record();
    report.phases->neighbours = senders;
  }

  policy how;
  plait::engine engine;
  std::array<plait::mover, 2> ghosts;  ///< by their colour
  std::unique_ptr<crew> threads;
  std::vector<int> senders;  ///< of ghosts, as often as they send
  time_spent waited;
  phase_watch phases;
};

}  // namespace

std::unique_ptr<variant> make_multi_tier(plait::environment& env, const policy& how,
                                         slow_worker slow, std::int64_t message_cells) {
  return plait::measure::stepwise_of<problem, multi_tier_step>(setting::distributed, &env, how,
                                                               slow, message_cells);
}

}  // namespace redblack3d
