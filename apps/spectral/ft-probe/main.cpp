// SPDX-License-Identifier: BSD-3-Clause
// The FT probe: transforms of rows and the exchange of them, in the ways from Exchange to Pencils.
// One MPI job measures all of them in turns, its network and the model beside them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <plait/plait.hpp>

#include "common/carrier.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/session_options.hpp"
#include "measure/probe/stacked_bars.hpp"
#include "measurement.hpp"
#include "problem.hpp"

namespace {

struct command {
  std::string preset;
  std::int64_t length = 0;
  std::int64_t rows = 0;
  std::string grid;
  std::vector<double> scales;
  std::vector<double> ratios;
  std::string messages = "exchange,slabs,pencils";
  std::string ways = "put";
  std::string plans = "measured";
  std::string policy = "auto";
  std::string windows = "messages";
  plait::measure::session_options session;
};

std::string help_of_presets() {
  std::string text = "One of the paper's experiments:";
  for (const ft_probe::preset& one : ft_probe::presets())
    text += fmt::format(" {} ({});", one.name, one.about);
  return text + " other options replace parts of it.  Left out: many-small";
}

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options(
      "Transforms of rows and their exchange, from Exchange to Pencils", "ft-probe");
  options.option("--preset", c.preset, help_of_presets());
  options.option("--length", c.length, "R: complex numbers of a row; 0 = the preset's");
  options.option("--rows", c.rows, "N: rows of a rank; 0 = the preset's");
  options.option("--grid", c.grid, "In place of R and N: a grid NXxNYxNZ, in slabs");
  options.option("--scales", c.scales,
                 "Operations, where those of one transform of each row are 1; 0 = none");
  options.option("--ratios", c.ratios,
                 "In place of scales: how long Exchange communicates, by how long it computes");
  options.option("--messages", c.messages,
                 "Any of exchange, slabs, pencils and numbers of messages of a rank");
  options.option("--way", c.ways, "Any of put, put_signal, message, isend and none");
  options.option("--plans", c.plans, "FFTW's plans: measured, estimated or patient");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--windows", c.windows,
                 "What windows run on: messages, rma (MPI's own windows) or auto");
  options.option("--repeat", c.session.repeat, "Runs of each bar");
  plait::measure::add_outputs(options, c.session, "bar");
  return options.parse(argc, argv, env);
}

void check_numbers(const command& c) {
  plait::measure::check(c.session);
  constexpr std::int64_t most = std::int64_t{1} << 30;
  plait::measure::check_range("--length", c.length, 0, most);
  plait::measure::check_range("--rows", c.rows, 0, most);
  if (!c.grid.empty() && (c.length != 0 || c.rows != 0))
    throw plait::usage_error("--grid says what --length and --rows say; give one of them");
  for (const double scale : c.scales)
    if (!(scale >= 0 && scale <= 1000))
      throw plait::usage_error(fmt::format("--scales is {}; it must be 0 to 1000", scale));
  for (const double ratio : c.ratios)
    if (!(ratio >= 0.001 && ratio <= 1000))
      throw plait::usage_error(fmt::format("--ratios is {}; it must be 0.001 to 1000", ratio));
  if (!c.scales.empty() && !c.ratios.empty())
    throw plait::usage_error("--ratios choose scales; give --scales or --ratios");
  if (!c.session.trace_file.empty())
    throw plait::usage_error("--trace: ft-probe keeps the paper's timers, and no events");
}

std::vector<ft_probe::named_shape> shapes_of(const command& c, const ft_probe::preset& from,
                                             int ranks) {
  using ft_probe::row_blocks;
  if (!c.grid.empty())
    return {{c.grid, row_blocks::of_grid(
                         "--grid", plait::measure::parse_extents("--grid", c.grid, 1), ranks)}};
  std::vector<ft_probe::named_shape> result;
  for (auto [length, rows] : from.shapes) {
    if (c.length != 0) length = c.length;
    if (c.rows != 0) rows = c.rows;
    std::string label = fmt::format("R={} N={}", length, rows);
    if (std::ranges::find(result, label, &ft_probe::named_shape::label) == result.end())
      result.push_back({std::move(label), row_blocks::of_rows("--rows", rows, length, ranks)});
  }
  return result;
}

ft_probe::request requested(const command& c, int ranks) {
  const ft_probe::preset& from =
      ft_probe::preset_of("--preset", c.preset.empty() ? "many-small" : c.preset);
  ft_probe::request result{.preset = from.name,
                           .points = ft_probe::parse_points("--messages", c.messages),
                           .shapes = shapes_of(c, from, ranks),
                           .ratios = c.ratios};
  result.ways = plait::measure::parse_names("--way", c.ways, spectral::way_names);
  if (from.computation_alone && std::ranges::find(result.ways, "none") == result.ways.end())
    result.ways.emplace_back("none");
  if (result.ways.front() == "none" && result.ways.size() > 1)
    std::ranges::rotate(result.ways, result.ways.begin() + 1);
  for (const ft_probe::named_shape& one : result.shapes)
    ft_probe::check_points("--messages", result.points, one.blocks);
  const std::vector<double> equal = ft_probe::equal_operations(result.shapes);
  for (std::size_t shape = 0; shape < result.shapes.size() && c.ratios.empty(); ++shape) {
    std::vector<double> scales = c.scales.empty() ? from.scales : c.scales;
    if (scales.empty() && from.constant_operations) scales = {equal[shape]};
    for (const double scale : scales) result.circumstances.push_back({shape, scale, 0});
  }
  result.planning =
      plait::measure::parse_kind<spectral::planning>("--plans", c.plans, spectral::planning_names);
  result.policy = plait::measure::parse_progress("--policy", c.policy);
  result.windows = plait::measure::parse_windows("--windows", c.windows);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "ft-probe", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    check_numbers(given);
    const ft_probe::request wanted = requested(given, env.size());
    std::vector<ft_probe::row_blocks> blocks;
    for (const ft_probe::named_shape& one : wanted.shapes) blocks.push_back(one.blocks);
    plait::measure::check_memory(env, given.grid.empty() ? "--rows" : "--grid",
                                 ft_probe::problem::memory_bytes(blocks, env.rank()));
    plait::measure::check_outputs(env, given.session);
    return plait::measure::conclude(env, given.session,
                                    ft_probe::measure(env, wanted, given.session),
                                    plait::measure::print_bars);
  });
}
