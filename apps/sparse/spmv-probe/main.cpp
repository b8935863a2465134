// SPDX-License-Identifier: BSD-3-Clause
// The sparse product of the architectural probes: Bulk, Gather(eta) and Scatter(eta) on one-sided
// get and signalling put, with their timers and equations.
#include <plait/plait.hpp>

#include "measure/base/command_line.hpp"
#include "measure/probe/stacked_bars.hpp"
#include "session.hpp"

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "spmv-probe", [&] {
    spmv_probe::command given;
    if (!spmv_probe::parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const spmv_probe::plan wanted = spmv_probe::plan_of(given, env.size());
    plait::measure::check_outputs(env, given.session);
    return plait::measure::conclude(env, given.session, spmv_probe::measure(env, given, wanted),
                                    plait::measure::print_bars);
  });
}
