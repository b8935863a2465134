// SPDX-License-Identifier: BSD-3-Clause
// Jacobi3D: Poisson's equation by Jacobi's method, with its ghost exchange in front of, or under,
// the computation.  One MPI job runs all variants in turns and writes one result.
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measurement.hpp"
#include "support/command_line.hpp"
#include "support/session_options.hpp"

namespace {

using plait::app::json;

struct command {
  std::string size = "512x512x64";
  std::string grid = "0x0x0";
  std::string variants = "base,olap,plait,ideal";
  std::int64_t workers = 0;
  std::int64_t window = 0;
  std::int64_t time_tile = 0;
  std::string policy = "auto";
  plait::app::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::app::command_line options("Poisson's equation in three dimensions by Jacobi's method",
                                   "jacobi3d");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--grid", c.grid, "Processes, as PXxPYxPZ; 0 = choose");
  options.option("--variants", c.variants, "Any of base, olap, plait, ideal, with commas between");
  plait::app::add_lengths(options, c.session, "Jacobi steps of a run", "variant");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--window", c.window, "Most tasks in flight; 0 = choose");
  options.option("--time-tile", c.time_tile,
                 "Steps plait takes through cells while they are in the cache: 1, or an even "
                 "number up to 16; 0 = choose");
  plait::app::add_outputs(options, c.session, "variant");
  return options.parse(argc, argv, env);
}

jacobi3d::options checked(const command& c) {
  plait::app::check(c.session);
  plait::app::check_range("--workers", c.workers, 0, 1024);
  plait::app::check_range("--window", c.window, 0, 1 << 24);
  if (c.time_tile != 1 && (c.time_tile % 2 != 0 || c.time_tile < 0 || c.time_tile > 16))
    throw plait::usage_error(
        fmt::format("--time-tile is {}; it must be 0, 1 or an even number up to 16", c.time_tile));
  return {.workers = static_cast<int>(c.workers),
          .policy = plait::app::parse_progress("--policy", c.policy),
          .window = static_cast<std::size_t>(c.window),
          .time_tile = static_cast<int>(c.time_tile)};
}

plait::decomposition<3> decomposition(const command& c, int ranks) {
  const auto cells = plait::app::parse_extents("--size", c.size, 1);
  return plait::decompose<3>({.global = {cells[0], cells[1], cells[2]},
                              .grid = plait::app::parse_grid("--grid", c.grid),
                              .ghosts = 1},
                             ranks);
}

void print_table(const json& result) {
  std::printf("%-8s %10s %10s %10s %10s %8s  %s\n", "variant", "total s", "compute s", "posting s",
              "exposed s", "hidden", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json& hidden = result["hidden_fraction"];
    const bool has_hidden = hidden.contains(name) && !hidden[name].is_null();
    std::printf("%-8s %10.4f %10.4f %10.4f %10.4f %8s  %s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["posting_s"].get<double>(), one["exposed_s"].get<double>(),
                has_hidden ? fmt::format("{:.2f}", hidden[name].get<double>()).c_str() : "",
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  std::printf("bound %.4f s, attainable %.4f s, %.0f %% of memory bandwidth\n",
              result["bound_s"].get<double>(), result["attainable_s"].get<double>(),
              100 * result["kernel"]["fraction_of_bandwidth"].get<double>());
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::app::run_program(env, "jacobi3d", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::app::exit_verified;
    const jacobi3d::options chosen = checked(given);
    const std::vector<std::string> variants =
        plait::app::parse_names("--variants", given.variants, jacobi3d::variant_names);
    const plait::decomposition<3> blocks = decomposition(given, env.size());
    // The first block is the largest.
    plait::app::check_memory(env, "--size", jacobi3d::memory_bytes(blocks.block(0)));
    plait::app::check_outputs(env, given.session);
    return plait::app::conclude(env, given.session,
                                jacobi3d::measure(env, blocks, variants, chosen, given.session),
                                print_table);
  });
}
