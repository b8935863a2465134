// SPDX-License-Identifier: BSD-3-Clause
// Jacobi3D: Poisson's equation by Jacobi's method, with its ghost exchange in front of, or under,
// the computation.  One MPI job runs all variants in turns and writes one result.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"
#include "common/grid_options.hpp"
#include "common/nodes.hpp"
#include "device/rows.hpp"
#include "languages/languages.hpp"
#include "measure/compare/program.hpp"
#include "measurement.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

namespace measure = plait::measure;
using plait::service_core;

struct command {
  plait::stencil::grid_options grid;
  plait::stencil::node_options nodes;
  std::string service = "both";
  std::int64_t time_tile = 0;
  plait::stencil::device_words device;
  measure::program_options common;
};

bool parse(command& c, const variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  measure::command_line options("Poisson's equation in three dimensions by Jacobi's method",
                                "jacobi3d");
  c.grid.add_to(options, plait::stencil::grid_help_of_nodes);
  c.nodes.add_to(options, "plait runs with one a node and a worker for each, others with all");
  options.option(
      "--service-core", c.service,
      "With --per-node, whether plait gives up a worker for a thread that serves "
      "messages: never, always, auto (where the model says that it pays), or both, a row "
      "each");
  measure::add_program_options(options, c.common, all.names(), "Jacobi steps of a run");
  options.renamed("--window", "--in-flight");
  options.option("--time-tile", c.time_tile,
                 "Steps that tiles take through cells while they are in the cache: an even number "
                 "up to 16; 0 = choose");
  c.device.add_to(options);
  return options.parse(argc, argv, env);
}

void check_time_tile(std::int64_t steps, bool has_tiles) {
  if (steps % 2 != 0 || steps < 0 || steps > 16)
    throw plait::usage_error(
        fmt::format("--time-tile is {}; it must be 0 or an even number up to 16{}", steps,
                    steps == 1 ? ": the variant that goes step by step is plait" : ""));
  if (steps != 0 && !has_tiles)
    throw plait::usage_error(fmt::format(
        "--time-tile is {}, but --variants has no tiles; add tiles to --variants", steps));
}

/// Collective.
tile_shape tile_of(plait::environment& env, const domain& whole, std::int64_t depth) {
  const double least_cache =
      -measure::maximum(env, -static_cast<double>(plait::stencil::tile_bytes()));
  return choose_tiles(whole.blocks(), static_cast<int>(depth),
                      static_cast<std::int64_t>(least_cache));
}

/// Errors: usage_error for what does not go together with several processes a node, or needs them.
node_rows rows_of(const command& c, bool has_tiles) {
  constexpr std::array names{plait::service_core_names[0], plait::service_core_names[1],
                             plait::service_core_names[2], std::string_view("both")};
  const std::size_t which = measure::parse_place("--service-core", c.service, names);
  const bool both = which == plait::service_core_names.size();
  if (c.nodes.per_node == 1 && !both)
    throw plait::usage_error("--service-core is of use with --per-node above 1");
  if (c.nodes.per_node > 1 && has_tiles)
    throw plait::usage_error(
        "--variants has tiles, which go with one process a node; leave out "
        "--per-node, or tiles");
  if (c.nodes.per_node > 1 && c.common.workers != 0)
    throw plait::usage_error(
        "--workers: with --per-node plait has a worker for each process of a node; leave one out");
  return {.service = both ? service_core::never : static_cast<service_core>(which),
          .has_service_row = both};
}

int run(plait::environment& env, int argc, char** argv) {
  options chosen;
  const variant_list all{
      {"base", [&] { return make_base(env); }},
      {"olap", [&] { return make_olap(env); }},
      {"split", [&] { return make_split(env); }},
      {"plait", [&] { return make_plait(env, chosen.runtime); }},
#ifdef JACOBI3D_C
      {"plait_c", [&] { return make_plait_c(env, chosen.runtime); }},
#endif
#ifdef JACOBI3D_FORTRAN
      {"plait_fortran", [&] { return make_plait_fortran(env, chosen.runtime); }},
#endif
#ifdef JACOBI3D_PYTHON
      {"plait_python", [&] { return make_plait_python(env, chosen.runtime); }},
#endif
      {"tiles", [&] { return make_tiles(env, chosen, setting::distributed); }},
      {"ideal", make_ideal},
      {"device_base", [&] { return make_device_base(env, chosen.device); }},
      {"device_olap", [&] { return make_device_olap(env, chosen.device); }},
      {"device_plait", [&] { return make_device_plait(env, chosen.runtime, chosen.device); }},
      {"device_ideal", [&] { return make_device_ideal(env, chosen.runtime, chosen.device); }},
      {"tiles_ideal", [&] { return make_tiles(env, chosen, setting::isolated); }}};
  command given;
  if (!parse(given, all, argc, argv, env)) return measure::exit_verified;
  measure::check(given.common.session);
  chosen.runtime = given.common.tasks();
  const std::vector<std::string> names = given.common.chosen(all.names());
  const bool has_tiles = std::ranges::any_of(names, is_tiled);
  check_time_tile(given.time_tile, has_tiles);
  chosen.on_device = plait::stencil::are_on_device(names);
  if (chosen.on_device) {
    if (given.nodes.per_node > 1)
      throw plait::usage_error("--per-node goes with no row on a device; leave it out");
    chosen.device = with_kernel(given.device.made(env, given.common.session.link_rate_bytes_per_s));
    plait::stencil::expect_takes(chosen.device, names);
  }
  const measure::node_processes nodes(env, given.nodes.per_node);
  const node_rows rows = rows_of(given, has_tiles);
  const domains whole = plait::stencil::divide<domain>(given.grid, given.nodes, nodes, true);
  if (chosen.on_device) plait::stencil::expect_slabs(whole.processes);
  chosen.asked_depth = static_cast<int>(given.time_tile);
  if (has_tiles) chosen.tile = tile_of(env, whole.processes, given.time_tile);
  plait::stencil::check_memory(env, whole, nodes.per_node(), arrays_of_a_problem);
  return run_session(env, whole, nodes, all, names, chosen, rows, given.common.session);
}

}  // namespace
}  // namespace jacobi3d

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "jacobi3d",
                                     [&] { return jacobi3d::run(env, argc, argv); });
}
