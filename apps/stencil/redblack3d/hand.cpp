// SPDX-License-Identifier: BSD-3-Clause
// Policy HAND: plain MPI, single-tier, as an expert writes it: for each colour, exchange the ghosts
// of the other one on persistent requests, then sweep.  And IDEAL, the same without the exchange:
// the figure not to exceed.  Each block then solves a problem of its own, with a zero boundary
// where its neighbours would be: the same work on data of the same kind, and a result that can be
// checked.
#include <array>
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/halo_mpi.hpp"
#include "kernel.hpp"
#include "measure/compare/stepwise.hpp"
#include "measure/load/time_spent.hpp"
#include "phase_watch.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::measure::stopwatch;

struct hand_step {
  hand_step(problem& p, plait::environment* env, slow_worker which)
      : data(p.data()), slow(which), neighbours(senders_to(p)) {
    for (const colour c : both_colours)
      if (env != nullptr)
        halos[index_of(c)].emplace(plait::native(*env), p.u[index_of(c)],
                                   plait::stencil::face_tags * static_cast<int>(c));
  }

  void operator()(problem& p, stopwatch& watch) {
    for (const colour c : both_colours) {
      phases.begins();
      phases.posted();
      phases.swept_inner();
      if (auto& ghosts = halos[index_of(other(c))]) waited.measure([&] { ghosts->run(watch); });
      phases.waited();
      computed.measure([&] { slow.run(0, [&] { relax(data, c, p.cells()); }); });
      watch.lap(plait::activity::compute, c == colour::red ? "red" : "black");
      phases.swept_after();
    }
  }

  void add_to(run_report& report) const {
    report.figures = {{"wait_s", waited.seconds()}, {"compute_s", computed.seconds()}};
    report.words["progress"] = "";
    report.phases = phases.record();
    report.phases->after_computed_s = computed.seconds();
    report.phases->neighbours = neighbours;
  }

  block_data data;
  plait::measure::slowness slow;
  std::array<std::optional<plait::stencil::halo_mpi>, 2> halos;  ///< by the colour of the ghosts
  plait::measure::time_spent waited, computed;
  phase_watch phases;
  std::vector<int> neighbours;
};

}  // namespace

std::unique_ptr<variant> make_hand(plait::environment& env, slow_worker slow) {
  return plait::measure::stepwise_of<problem, hand_step>(setting::distributed, &env, slow);
}

std::unique_ptr<variant> make_ideal(slow_worker slow) {
  return plait::measure::stepwise_of<problem, hand_step>(
      setting::isolated, static_cast<plait::environment*>(nullptr), slow);
}

}  // namespace redblack3d
