// SPDX-License-Identifier: BSD-3-Clause
// NAS FT: a three-dimensional field evolves in Fourier space, and each step transforms it back.
// One MPI job runs all variants in turns and writes one result.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/carrier.hpp"
#include "measure/base/grid_shape.hpp"
#include "measure/compare/program.hpp"
#include "measurement.hpp"

namespace {

struct command {
  std::string what = "S";
  std::string plans = "measured";
  std::string way = "put";
  std::string geometry;
  std::string grid;
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
  options.option("--geometry", c.geometry,
                 "Parts of the field that a rank has: slabs or pencils; left out: slabs");
  options.option("--grid", c.grid,
                 "Pencils on a grid of PxQ ranks: P share x and y, Q share y and z; 0 = choose");
  options.option("--iterations-in-flight", c.iterations_in_flight,
                 "Iterations that have memory of their own: 1 or 2");
  options.option("--tile", c.tile, "x's that travel together; 0 = choose");
  options.option(
      "--way", c.way,
      "How rows travel in exchange, slabs and pencils: put, put_signal, message or isend");
  options.option("--plans", c.plans, "FFTW's plans: measured, estimated or patient");
  return options.parse(argc, argv, env);
}

ft::options checked(const command& c) {
  plait::measure::check(c.common.session);
  plait::measure::check_range("--iterations-in-flight", c.iterations_in_flight, 1, 2);
  constexpr std::span ways = std::span(spectral::way_names).first<4>();  // all but none
  return {.iterations_in_flight = static_cast<int>(c.iterations_in_flight),
          .runtime = c.common.tasks(),
          .way = plait::measure::parse_name("--way", c.way, ways),
          .planning = plait::measure::parse_kind<spectral::planning>("--plans", c.plans,
                                                                     spectral::planning_names)};
}

spectral::rank_grid grid_of(const command& c, const std::array<ft::index, 3>& cells, int ranks) {
  constexpr std::array<std::string_view, 2> geometries{"slabs", "pencils"};
  const std::string geometry =
      c.geometry.empty() ? "" : plait::measure::parse_name("--geometry", c.geometry, geometries);
  if (!c.grid.empty()) {
    if (geometry == "slabs")
      throw plait::usage_error("--grid is for pencils; give --geometry slabs or --grid");
    const auto wanted = plait::measure::parse_grid_shape("--grid", c.grid);
    return spectral::choose_pencils("--class", cells, ranks, {wanted.rows, wanted.columns});
  }
  if (geometry == "pencils") return spectral::choose_pencils("--class", cells, ranks, {0, 0});
  return {1, ranks};
}

/// Errors: usage_error where a variant is of slabs only.
void check_geometry(const std::vector<std::string>& variants, const spectral::rank_grid& grid) {
  if (grid.p == 1) return;
  for (const char* one : {"exchange", "slabs", "pencils"})
    if (std::ranges::find(variants, one) != variants.end())
      throw plait::usage_error(fmt::format(
          "--variants {}: its rows go whole to one rank; leave out --grid and --geometry", one));
}

ft::request requested(command& c, int ranks) {
  ft::request result{.what = ft::parse_class("--class", c.what)};
  if (c.common.session.steps == 0) c.common.session.steps = result.what.iterations;
  plait::measure::check_range("--tile", c.tile, 0, result.what.cells[0]);
  result.grid = grid_of(c, result.what.cells, ranks);
  result.tile = c.tile != 0 ? c.tile : spectral::usual_tile(result.what.cells, result.grid);
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
                               {"exchange", [&] { return ft::make_exchange(env, chosen); }},
                               {"slabs", [&] { return ft::make_slabs(env, chosen); }},
                               {"pencils", [&] { return ft::make_pencils(env, chosen); }},
                               {"plait", [&] { return ft::make_plait(env, chosen); }},
                               {"ideal", [&] { return ft::make_ideal(); }}};
    command given;
    if (!parse(given, all, argc, argv, env)) return plait::measure::exit_verified;
    const ft::request wanted = requested(given, env.size());
    chosen = checked(given);
    const std::vector<std::string> variants = given.common.chosen(all.names());
    check_geometry(variants, wanted.grid);
    const spectral::pencils shape("--class", wanted.what.cells, wanted.grid, env.rank(),
                                  wanted.tile);
    plait::measure::check_memory(env, "--class",
                                 ft::memory_bytes(shape, chosen.iterations_in_flight));
    return ft::measure(env, wanted, shape, all, variants, chosen, given.common.session);
  });
}
