// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation by conjugate gradients, as LibNBC's users solve it: ghosts exchanged and inner
// products summed in front of the computation, or under it.  [Hoefler and Lumsdaine, slide 30]  One
// MPI job runs all variants in turns and writes one result.
#include <string>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/program.hpp"
#include "measurement.hpp"

namespace {

struct command {
  std::string size = "128x128x64";
  std::string grid = "0x0x0";
  std::string boundary = "dirichlet";
  std::string exchange = "mover";
  std::string network_file;
  double tolerance = 1e-8;
  plait::measure::program_options common = [] {
    plait::measure::program_options usual;
    usual.variants = "base,olap,plait,pipelined,ideal";
    usual.session.steps = 1000;
    return usual;
  }();
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options(
      "Poisson's equation in three dimensions by conjugate gradients", "poisson");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--grid", c.grid, "Processes, as PXxPYxPZ; 0 = choose");
  options.option("--boundary", c.boundary, "dirichlet (zero) or periodic");
  options.option("--tolerance", c.tolerance, "Stop when |r| <= tolerance |b|");
  plait::measure::add_program_options(options, c.common, poisson::variant_names,
                                      "Iterations at most");
  options.option("--exchange", c.exchange,
                 "Ghosts by mover (in plain MPI: a message for each face) or by a neighbour "
                 "collective");
  options.option("--network", c.network_file,
                 "The network's parameters, as `plait measure loggp --json` writes them, for a "
                 "prediction");
  return options.parse(argc, argv, env);
}

poisson::session_choice checked(const command& c) {
  plait::measure::check(c.common.session);
  if (!(c.tolerance >= 1e-14 && c.tolerance < 1))
    throw plait::usage_error(
        fmt::format("--tolerance is {}; it must be at least 1e-14 and less than 1", c.tolerance));
  poisson::session_choice result;
  result.variants = c.common.chosen(poisson::variant_names);
  result.how.ghosts =
      plait::measure::parse_name("--exchange", c.exchange, poisson::exchange_names) == "mover"
          ? poisson::exchange_kind::mover
          : poisson::exchange_kind::collective;
  result.how.tolerance = c.tolerance;
  result.how.tasks = c.common.tasks();
  if (!c.network_file.empty()) result.network = plait::model::read_parameters(c.network_file);
  return result;
}

poisson::domain domain_of(const command& c, int ranks) {
  const bool periodic =
      plait::measure::parse_name("--boundary", c.boundary, poisson::boundary_names) == "periodic";
  return {plait::measure::parse_extents("--size", c.size, 1),
          periodic ? poisson::boundary::periodic : poisson::boundary::dirichlet, ranks,
          plait::measure::parse_grid("--grid", c.grid)};
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "poisson", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const poisson::session_choice chosen = checked(given);
    const poisson::domain whole = domain_of(given, env.size());
    // The first block is the largest.
    plait::measure::check_memory(env, "--size", poisson::memory_bytes(whole.block(0)));
    return poisson::measure(env, whole, chosen, given.common.session);
  });
}
