// SPDX-License-Identifier: BSD-3-Clause
// NAS FT: a three-dimensional field evolves in Fourier space, and each step transforms it back.
// One MPI job runs all variants in turns and writes one result.
#include <cstdint>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/program.hpp"
#include "measurement.hpp"

namespace {

struct command {
  std::string what = "S";
  std::string plans = "measured";
  std::int64_t tile = 0;
  std::int64_t iterations_in_flight = 1;
  plait::measure::program_options common =
      plait::measure::usual_options("base,library,olap,plait,ideal", 0);
};

bool parse(command& c, const ft::variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  plait::measure::command_line options("NAS FT: a field evolves in Fourier space", "ft");
  options.option("--class", c.what, "NPB's class S, W, A, B, C or D, or a grid as NXxNYxNZ");
  plait::measure::add_program_options(options, c.common, all.names(),
                                      "Iterations of a run; 0 = the class's");
  options.option("--iterations-in-flight", c.iterations_in_flight,
                 "Iterations that have memory of their own: 1 or 2");
  options.option("--tile", c.tile, "x's that travel together; 0 = choose");
  options.option("--plans", c.plans, "FFTW's plans: measured or estimated");
  return options.parse(argc, argv, env);
}

ft::options checked(const command& c) {
  plait::measure::check(c.common.session);
  plait::measure::check_range("--iterations-in-flight", c.iterations_in_flight, 1, 2);
  return {.iterations_in_flight = static_cast<int>(c.iterations_in_flight),
          .tasks = c.common.tasks()};
}

ft::request requested(command& c, int ranks) {
  ft::request result{.what = ft::parse_class("--class", c.what)};
  if (c.common.session.steps == 0) c.common.session.steps = result.what.iterations;
  plait::measure::check_range("--tile", c.tile, 0, result.what.cells[0]);
  result.tile = c.tile != 0 ? c.tile : spectral::usual_tile(result.what.cells, ranks);
  result.planning =
      plait::measure::parse_kind<spectral::planning>("--plans", c.plans, spectral::planning_names);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "ft", [&] {
    ft::options chosen;
    const ft::variant_list all{{"base", [&] { return ft::make_base(env); }},
                               {"library", [&] { return ft::make_library(env, chosen); }},
                               {"olap", [&] { return ft::make_olap(env, chosen); }},
                               {"plait", [&] { return ft::make_plait(env, chosen); }},
                               {"ideal", [&] { return ft::make_ideal(env); }}};
    command given;
    if (!parse(given, all, argc, argv, env)) return plait::measure::exit_verified;
    const ft::request wanted = requested(given, env.size());
    chosen = checked(given);
    const std::vector<std::string> variants = given.common.chosen(all.names());
    const spectral::slabs shape("--class", wanted.what.cells, env.size(), env.rank(), wanted.tile);
    plait::measure::check_memory(env, "--class",
                                 ft::memory_bytes(shape, chosen.iterations_in_flight));
    return ft::measure(env, wanted, shape, all, variants, chosen, given.common.session);
  });
}
