// SPDX-License-Identifier: BSD-3-Clause
// Jacobi3D: Poisson's equation by Jacobi's method, with its ghost exchange in front of, or under,
// the computation.  One MPI job runs all variants in turns and writes one result.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"
#include "measure/command_line.hpp"
#include "measure/gather.hpp"
#include "measure/program.hpp"
#include "variant.hpp"

namespace {

struct command {
  std::string size = "512x512x64";
  std::string grid = "0x0x0";
  std::int64_t time_tile = 0;
  plait::measure::program_options common;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options("Poisson's equation in three dimensions by Jacobi's method",
                                       "jacobi3d");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--grid", c.grid, "Processes, as PXxPYxPZ; 0 = choose");
  plait::measure::add_program_options(options, c.common, jacobi3d::variant_names,
                                      "Jacobi steps of a run");
  options.renamed("--window", "--in-flight");
  options.option("--time-tile", c.time_tile,
                 "Steps that tiles take through cells while they are in the cache: an even number "
                 "up to 16; 0 = choose");
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

plait::decomposition<3> decomposition(const command& c, int ranks) {
  const auto cells = plait::measure::parse_extents("--size", c.size, 1);
  return plait::decompose<3>({.global = {cells[0], cells[1], cells[2]},
                              .grid = plait::measure::parse_grid("--grid", c.grid),
                              .ghosts = 1},
                             ranks);
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "jacobi3d", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const plait::measure::session_options& session = given.common.session;
    plait::measure::check(session);
    jacobi3d::options chosen{.tasks = given.common.tasks(),
                             .time_tile = static_cast<int>(given.time_tile)};
    const std::vector<std::string> variants = given.common.chosen(jacobi3d::variant_names);
    const bool has_tiles = std::ranges::any_of(variants, jacobi3d::has_tiles);
    check_time_tile(given.time_tile, has_tiles);
    const plait::decomposition<3> blocks = decomposition(given, env.size());
    if (has_tiles) chosen.tile = tile_of(env, blocks, chosen.time_tile);
    // The first block is the largest.
    plait::measure::check_memory(env, "--size", jacobi3d::memory_bytes(blocks.block(0)));
    return jacobi3d::measure(env, blocks, variants, chosen, session);
  });
}
