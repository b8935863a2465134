// SPDX-License-Identifier: BSD-3-Clause
// A three-dimensional transform whose transposes are pipelined, after LibNBC.  One MPI job runs all
// variants in turns and writes one result.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/command_line.hpp"
#include "measure/session_options.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;

struct command {
  std::string size = "128x128x128";
  std::string tile = "auto";
  std::string variants = "blocking,library,tested,threaded,plait,ideal";
  std::string plans = "measured";
  std::int64_t workers = 0;
  std::string policy = "auto";
  plait::measure::session_options session;
};

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options("A pipelined three-dimensional Fourier transform", "fft3d");
  options.option("--size", c.size, "Cells, as NXxNYxNZ");
  options.option("--tile", c.tile,
                 "Tile factor, planes that travel together; several with commas, or auto");
  options.option("--variants", c.variants,
                 "Any of blocking, library, tested, threaded, plait, ideal, with commas");
  plait::measure::add_lengths(options, c.session, "Transforms there and back of a run", "variant");
  options.option("--plans", c.plans, "FFTW's plans: measured or estimated");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  plait::measure::add_outputs(options, c.session, "variant");
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
  const std::string plans = plait::measure::parse_name(
      "--plans", c.plans, std::vector<std::string_view>{"measured", "estimated"});
  result.planning =
      plans == "measured" ? spectral::planning::measured : spectral::planning::estimated;
  return result;
}

fft3d::options checked(const command& c) {
  plait::measure::check(c.session);
  plait::measure::check_range("--workers", c.workers, 0, 1024);
  return {.workers = static_cast<int>(c.workers),
          .policy = plait::measure::parse_progress("--policy", c.policy)};
}

/// Memory a rank needs, in bytes: its fields, and a copy of the transform for each tile factor.
double memory_bytes(const spectral::slabs& s, std::size_t tilings) {
  const double each = static_cast<double>(std::max(s.lines_size(), s.plane_side_size()));
  return sizeof(spectral::complex) *
         (static_cast<double>(s.planes_size() + s.line_side_size()) +
          each * (2 + static_cast<double>(std::max<std::size_t>(tilings, 1) + 1)));
}

void print_table(const json& result) {
  std::printf("%-13s %9s %12s %9s %9s %9s %8s\n", "variant", "total s", "overhead s", "compute s",
              "posting s", "exposed s", "verified");
  for (const auto& [name, one] : result["variants"].items())
    std::printf("%-13s %9.4f %12.4f %9.4f %9.4f %9.4f %8s\n", name.c_str(),
                one["total_s"]["median"].get<double>(),
                one["communication_overhead_s"].get<double>(), one["compute_s"].get<double>(),
                one["posting_s"].get<double>(), one["exposed_s"].get<double>(),
                one["verified"].get<bool>() ? "yes" : "NO");
  std::printf("bound %.4f s, attainable %.4f s\n", result["bound_s"].get<double>(),
              result["attainable_s"].get<double>());
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "fft3d", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    const fft3d::request wanted = requested(given);
    const fft3d::options chosen = checked(given);
    const std::vector<std::string> variants =
        plait::measure::parse_names("--variants", given.variants, fft3d::variant_names);
    const spectral::slabs shape("--size", wanted.cells, env.size(), env.rank(), 1);
    plait::measure::check_memory(env, "--size", memory_bytes(shape, wanted.tiles.size()));
    plait::measure::check_outputs(env, given.session);
    return plait::measure::conclude(env, given.session,
                                    fft3d::measure(env, wanted, variants, chosen, given.session),
                                    print_table);
  });
}
