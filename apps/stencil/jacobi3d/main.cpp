// SPDX-License-Identifier: BSD-3-Clause
// Jacobi3D: Poisson's equation by Jacobi's method, with its ghost exchange in front of, or under,
// the computation.  One MPI job runs all variants in turns and writes one result.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"
#include "measure/command_line.hpp"
#include "measure/gather.hpp"
#include "measure/session_options.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;

struct command {
  std::string size = "512x512x64";
  std::string grid = "0x0x0";
  std::string variants = "base,olap,plait,ideal";
  std::int64_t workers = 0;
  std::int64_t in_flight = 0;
  std::int64_t time_tile = 0;
  std::string policy = "auto";
  plait::measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options("Poisson's equation in three dimensions by Jacobi's method",
                                       "jacobi3d");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--grid", c.grid, "Processes, as PXxPYxPZ; 0 = choose");
  options.option("--variants", c.variants,
                 "Any of base, olap, plait, tiles, ideal, tiles_ideal, with commas between");
  plait::measure::add_lengths(options, c.session, "Jacobi steps of a run", "variant");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--in-flight", c.in_flight, "Most tasks in flight; 0 = choose");
  options.renamed("--window", "--in-flight");
  options.option("--time-tile", c.time_tile,
                 "Steps that tiles take through cells while they are in the cache: an even number "
                 "up to 16; 0 = choose");
  plait::measure::add_outputs(options, c.session, "variant");
  return options.parse(argc, argv, env);
}

void check_time_tile(std::int64_t steps, bool has_tiles) {
  if (steps == 1)
    throw plait::usage_error(
        "--time-tile is 1; it must be 0 or an even number up to 16: the variant that goes step by "
        "step is plait");
  if (steps % 2 != 0 || steps < 0 || steps > 16)
    throw plait::usage_error(
        fmt::format("--time-tile is {}; it must be 0 or an even number up to 16", steps));
  if (steps != 0 && !has_tiles)
    throw plait::usage_error(fmt::format(
        "--time-tile is {}, but --variants has no tiles; add tiles to --variants", steps));
}

/// Collective.
jacobi3d::tile_shape tile_of(plait::environment& env, const plait::decomposition<3>& blocks,
                             int depth) {
  const double least_cache =
      -plait::measure::maximum(env, -static_cast<double>(plait::stencil::tile_bytes()));
  return jacobi3d::choose_tiles(blocks, depth, static_cast<std::int64_t>(least_cache));
}

jacobi3d::options checked(const command& c) {
  plait::measure::check(c.session);
  plait::measure::check_range("--workers", c.workers, 0, 1024);
  plait::measure::check_range("--in-flight", c.in_flight, 0, 1 << 24);
  return {.workers = static_cast<int>(c.workers),
          .policy = plait::measure::parse_progress("--policy", c.policy),
          .in_flight = static_cast<std::size_t>(c.in_flight),
          .time_tile = static_cast<int>(c.time_tile)};
}

plait::decomposition<3> decomposition(const command& c, int ranks) {
  const auto cells = plait::measure::parse_extents("--size", c.size, 1);
  return plait::decompose<3>({.global = {cells[0], cells[1], cells[2]},
                              .grid = plait::measure::parse_grid("--grid", c.grid),
                              .ghosts = 1},
                             ranks);
}

void print_table(const json& result) {
  std::printf("%-11s %9s %9s %9s %9s %8s %7s %8s\n", "variant", "total s", "compute s", "posting s",
              "exposed s", "/ ideal", "hidden", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json& hidden = result["hidden_fraction"];
    const bool has_hidden = hidden.contains(name) && !hidden[name].is_null();
    const bool has_own = one.contains("own_limits");
    const json ratio = has_own ? one["own_limits"]["ratio_to_ideal"] : json(nullptr);
    std::printf("%-11s %9.4f %9.4f %9.4f %9.4f %8s %7s %8s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["posting_s"].get<double>(), one["exposed_s"].get<double>(),
                has_own ? fmt::format("{:.3f}", ratio.get<double>()).c_str() : "",
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
  return plait::measure::run_program(env, "jacobi3d", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    jacobi3d::options chosen = checked(given);
    const std::vector<std::string> variants =
        plait::measure::parse_names("--variants", given.variants, jacobi3d::variant_names);
    const bool has_tiles = std::ranges::any_of(variants, jacobi3d::has_tiles);
    check_time_tile(given.time_tile, has_tiles);
    const plait::decomposition<3> blocks = decomposition(given, env.size());
    if (has_tiles) chosen.tile = tile_of(env, blocks, chosen.time_tile);
    // The first block is the largest.
    plait::measure::check_memory(env, "--size", jacobi3d::memory_bytes(blocks.block(0)));
    plait::measure::check_outputs(env, given.session);
    return plait::measure::conclude(env, given.session,
                                    jacobi3d::measure(env, blocks, variants, chosen, given.session),
                                    print_table);
  });
}
