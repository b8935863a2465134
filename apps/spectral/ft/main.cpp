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
  plait::measure::program_options common = [] {
    plait::measure::program_options usual;
    usual.variants = "base,library,olap,plait,ideal";
    usual.session.steps = 0;
    return usual;
  }();
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options("NAS FT: a field evolves in Fourier space", "ft");
  options.option("--class", c.what, "NPB's class S, W, A, B, C or D, or a grid as NXxNYxNZ");
  plait::measure::add_program_options(options, c.common, ft::variant_names,
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
  const plait::measure::task_options tasks = c.common.tasks();
  return {.iterations_in_flight = static_cast<int>(c.iterations_in_flight),
          .workers = tasks.workers,
          .policy = tasks.policy,
          .in_flight = tasks.in_flight};
}

ft::request requested(command& c, int ranks) {
  ft::request result{.what = ft::parse_class("--class", c.what)};
  if (c.common.session.steps == 0) c.common.session.steps = result.what.iterations;
  plait::measure::check_range("--tile", c.tile, 0, result.what.cells[0]);
  result.tile = c.tile != 0 ? c.tile : spectral::usual_tile(result.what.cells, ranks);
  const std::string plans = plait::measure::parse_name(
      "--plans", c.plans, std::vector<std::string_view>{"measured", "estimated"});
  result.planning =
      plans == "measured" ? spectral::planning::measured : spectral::planning::estimated;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "ft", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const ft::request wanted = requested(given, env.size());
    const ft::options chosen = checked(given);
    const std::vector<std::string> variants = given.common.chosen(ft::variant_names);
    const spectral::slabs shape("--class", wanted.what.cells, env.size(), env.rank(), wanted.tile);
    plait::measure::check_memory(env, "--class",
                                 ft::memory_bytes(shape, chosen.iterations_in_flight));
    return ft::measure(env, wanted, shape, variants, chosen, given.common.session);
  });
}
