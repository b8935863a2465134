// SPDX-License-Identifier: BSD-3-Clause
// Jacobi3D: Poisson's equation by Jacobi's method, with its ghost exchange in front of, or under,
// the computation.  One MPI job runs all variants in turns and writes one result.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"
#include "common/grid_options.hpp"
#include "common/halo_mpi.hpp"
#include "measure/memory_bandwidth.hpp"
#include "measure/program.hpp"
#include "measure/variant_list.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

namespace measure = plait::measure;
using measure::json;
using variant_list = measure::variant_list<problem>;

struct command {
  plait::stencil::grid_options grid;
  std::int64_t time_tile = 0;
  measure::program_options common;
};

bool is_tiled(std::string_view name) {
  return name == "tiles" || name == "tiles_ideal";
}

bool parse(command& c, const variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  measure::command_line options("Poisson's equation in three dimensions by Jacobi's method",
                                "jacobi3d");
  c.grid.add_to(options);
  measure::add_program_options(options, c.common, all.names(), "Jacobi steps of a run");
  options.renamed("--window", "--in-flight");
  options.option("--time-tile", c.time_tile,
                 "Steps that tiles take through cells while they are in the cache: an even number "
                 "up to 16; 0 = choose");
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

measure::communication_alone messages_of(plait::stencil::halo_mpi& halo, problem& p, int steps) {
  const plait::tile_size size{.rows = plait::stencil::tile_rows(p.block(p.u)),
                              .cells = plait::stencil::cells_per_count};
  return plait::stencil::exchanges_alone(
      {&halo, 1}, steps, [&p] { p.reset(setting::distributed); },
      plait::cut_in_tiles(p.parts().interior, size), [&p](const box& tile) { p.relax(tile); });
}

/// Measures all variants and what they are held against, and writes the result.  Returns the exit
/// code.  Collective.
int compare(plait::environment& env, const command& given, const domain& whole,
            const variant_list& all, const options& chosen) {
  const measure::session_options& wanted = given.common.session;
  problem p(whole, env.rank());
  plait::stencil::halo_mpi halo(plait::native(env), p.u);
  const auto names = given.common.chosen(all.names());
  measure::comparison what = measure::compare("jacobi3d", names, p, wanted.steps, all);
  what.parameters = to_json(chosen.tasks);
  what.parameters.update(to_json(whole));
  what.parameters["time_tile"] = given.time_tile;
  for (measure::compared_variant& one : what.variants) {
    one.computes_as_base = !is_tiled(one.name);
    if (is_tiled(one.name)) one.own_ideal = "tiles_ideal";
  }
  if (std::ranges::any_of(names, is_tiled))
    what.own_ideals.push_back(
        measure::compared<problem>("tiles_ideal", all("tiles_ideal"), p, wanted.steps));
  what.communication = messages_of(halo, p, wanted.steps);
  what.sent_per_step = halo.sent();
  measure::measure_bandwidth(env, what, [&p] {
    return stream_triad_bytes_per_s(p.v[p.cells()], p.block(p.u), p.block(p.b), 3);
  });
  const double bytes = bytes_per_cell * static_cast<double>(whole.blocks().global().size());
  return measure::run_comparison(
      env, what, wanted, [&](json& out, const measure::measurements& found) {
        const int depth = chosen.tile.depth;
        out["environment"]["time_tile_chosen"] = depth != 0 ? json(depth) : json(nullptr);
        out["kernel"] = measure::kernel_of(found, bytes * wanted.steps);
      });
}

int run(plait::environment& env, int argc, char** argv) {
  options chosen;
  const variant_list all{
      {"base", [&] { return make_base(env); }},
      {"olap", [&] { return make_olap(env); }},
      {"plait", [&] { return make_plait(env, chosen); }},
      {"tiles", [&] { return make_tiles(env, chosen, setting::distributed); }},
      {"ideal", make_ideal},
      {"tiles_ideal", [&] { return make_tiles(env, chosen, setting::isolated); }}};
  command given;
  if (!parse(given, all, argc, argv, env)) return measure::exit_verified;
  measure::check(given.common.session);
  chosen.tasks = given.common.tasks();
  const bool has_tiles = std::ranges::any_of(given.common.chosen(all.names()), is_tiled);
  check_time_tile(given.time_tile, has_tiles);
  const domain whole = given.grid.over(env.size());
  if (has_tiles) chosen.tile = tile_of(env, whole, given.time_tile);
  plait::stencil::check_memory(env, whole, arrays_of_a_problem);
  return compare(env, given, whole, all, chosen);
}

}  // namespace
}  // namespace jacobi3d

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "jacobi3d",
                                     [&] { return jacobi3d::run(env, argc, argv); });
}
