// SPDX-License-Identifier: BSD-3-Clause
// A three-dimensional transform whose transposes are pipelined, after LibNBC.  One MPI job runs all
// variants in turns and writes one result.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/compare/program.hpp"
#include "measurement.hpp"

namespace {

struct command {
  std::string size = "128x128x128";
  std::string tile = "auto";
  std::string plans = "measured";
  plait::measure::program_options common =
      plait::measure::usual_options("blocking,library,tested,threaded,plait,ideal");
};

bool parse(command& c, const fft3d::variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  plait::measure::command_line options("A pipelined three-dimensional Fourier transform", "fft3d");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--tile", c.tile,
                 "Tile factor, planes that travel together; several with commas, or auto");
  plait::measure::add_program_options(options, c.common, all.names(),
                                      "Transforms there and back of a run");
  options.option("--plans", c.plans, "FFTW's plans: measured, estimated or patient");
  return options.parse(argc, argv, env);
}

std::vector<fft3d::index> tiles_of(const std::string& text, fft3d::index nx) {
  std::vector<fft3d::index> tiles;
  if (text == "auto") return tiles;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool digits = !word.empty() && word.size() < 10 &&
                        std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    const fft3d::index tile = digits ? std::stoll(word) : 0;
    if (tile < 1 || tile > nx || std::ranges::count(tiles, tile) != 0)
      throw plait::usage_error(
          fmt::format("--tile is '{}'; it must be auto, or numbers from 1 to {}, none twice, with "
                      "commas between",
                      text, nx));
    tiles.push_back(tile);
    at = end + 1;
  }
  return tiles;
}

fft3d::request requested(const command& c) {
  fft3d::request result;
  result.cells = plait::measure::parse_extents("--size", c.size, 1);
  result.tiles = tiles_of(c.tile, result.cells[0]);
  result.planning =
      plait::measure::parse_kind<spectral::planning>("--plans", c.plans, spectral::planning_names);
  return result;
}

/// Memory a rank needs, in bytes: its fields, and a copy of the transform for each tile factor.
double memory_bytes(const spectral::slabs& s, std::size_t tilings) {
  const double each = static_cast<double>(std::max(s.lines_size(), s.plane_side_size()));
  return sizeof(spectral::complex) *
         (static_cast<double>(s.planes_size() + s.line_side_size()) +
          each * (2 + static_cast<double>(std::max<std::size_t>(tilings, 1) + 1)));
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "fft3d", [&] {
    using fft3d::looks;
    fft3d::options chosen;
    const fft3d::variant_list all{
        {"blocking", [&] { return fft3d::make_blocking(env); }},
        {"library", [&] { return fft3d::make_pipeline(env, looks::none); }},
        {"tested", [&] { return fft3d::make_pipeline(env, looks::tests); }},
        {"threaded", [&] { return fft3d::make_pipeline(env, looks::thread); }},
        {"plait", [&] { return fft3d::make_plait(env, chosen); }},
        {"ideal", fft3d::make_ideal}};
    command given;
    if (!parse(given, all, argc, argv, env)) return plait::measure::exit_verified;
    const fft3d::request wanted = requested(given);
    const plait::measure::session_options& session = given.common.session;
    plait::measure::check(session);
    chosen = given.common.tasks();
    const std::vector<std::string> variants = given.common.chosen(all.names());
    const spectral::slabs shape("--size", wanted.cells, env.size(), env.rank(), 1);
    plait::measure::check_memory(env, "--size", memory_bytes(shape, wanted.tiles.size()));
    plait::measure::check_outputs(env, session);
    return fft3d::measure(env, wanted, all, variants, chosen, session);
  });
}
