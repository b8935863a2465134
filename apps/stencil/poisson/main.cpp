// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation by conjugate gradients, as LibNBC's users solve it: ghosts exchanged and inner
// products summed in front of the computation, or under it.  [Hoefler and Lumsdaine, slide 30]  One
// MPI job runs all variants in turns and writes one result.
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/command_line.hpp"
#include "measure/gather.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;

struct command {
  std::string size = "128x128x64";
  std::string grid = "0x0x0";
  std::string boundary = "dirichlet";
  std::string variants = "base,olap,plait,pipelined,ideal";
  std::string exchange = "mover";
  std::string policy = "auto";
  std::string network_file;
  double tolerance = 1e-8;
  std::int64_t workers = 0;
  plait::measure::session_options session = [] {
    plait::measure::session_options usual;
    usual.steps = 1000;
    return usual;
  }();
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options(
      "Poisson's equation in three dimensions by conjugate gradients", "poisson");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--grid", c.grid, "Processes, as PXxPYxPZ; 0 = choose");
  options.option("--boundary", c.boundary, "dirichlet (zero) or periodic");
  options.option("--variants", c.variants,
                 "Any of base, olap, plait, pipelined, ideal, with commas between");
  options.option("--tolerance", c.tolerance, "Stop when |r| <= tolerance |b|");
  plait::measure::add_lengths(options, c.session, "Iterations at most", "variant");
  options.option("--exchange", c.exchange,
                 "Ghosts by mover (in plain MPI: a message for each face) or by a neighbour "
                 "collective");
  options.option("--workers", c.workers, "Workers of a rank, for tasks; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--network", c.network_file,
                 "The network's parameters, as `plait measure loggp --json` writes them, for a "
                 "prediction");
  plait::measure::add_outputs(options, c.session, "variant");
  return options.parse(argc, argv, env);
}

poisson::session_choice checked(const command& c) {
  plait::measure::check(c.session);
  plait::measure::check_range("--workers", c.workers, 0, 1024);
  if (!(c.tolerance >= 1e-14 && c.tolerance < 1))
    throw plait::usage_error(
        fmt::format("--tolerance is {}; it must be at least 1e-14 and less than 1", c.tolerance));
  poisson::session_choice result;
  result.variants = plait::measure::parse_names("--variants", c.variants, poisson::variant_names);
  result.how.ghosts =
      plait::measure::parse_name("--exchange", c.exchange, poisson::exchange_names) == "mover"
          ? poisson::exchange_kind::mover
          : poisson::exchange_kind::collective;
  result.how.tolerance = c.tolerance;
  result.how.workers = static_cast<int>(c.workers);
  result.how.policy = plait::measure::parse_progress("--policy", c.policy);
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

void print_table(const json& result) {
  std::printf("%-10s %10s %10s %10s %10s %11s %9s %9s\n", "variant", "total s", "compute",
              "exposed", "sums", "iterations", "/ base", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json& ratio = one["ratio_to_base"];
    std::printf("%-10s %10.4f %10.4f %10.4f %10.4f %11.0f %9s %9s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["exposed_s"].get<double>(), one["reduction_s"].get<double>(),
                one["iterations"].get<double>(),
                ratio.is_null() ? "" : fmt::format("{:.3f}", ratio.get<double>()).c_str(),
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  std::printf("bound %.4f s, attainable %.4f s\n", result["bound_s"].get<double>(),
              result["attainable_s"].get<double>());
  if (!result.contains("prediction")) return;
  const json& predicted = result["prediction"];
  const double base_s = predicted["base_s"].get<double>();
  std::printf("predicted for an iteration: base %.3f ms, overlapped %.3f of that, pipelined %.3f\n",
              1e3 * base_s, predicted["overlapped_s"].get<double>() / base_s,
              predicted["pipelined_s"].get<double>() / base_s);
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
    plait::measure::check_outputs(env, given.session);
    return plait::measure::conclude(
        env, given.session, poisson::measure(env, whole, chosen, given.session), print_table);
  });
}
