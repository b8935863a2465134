// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/generated.hpp"
#include "measure/base/command_line.hpp"

namespace spmv_probe {
namespace {

constexpr std::array<std::string_view, 4> letters{"B", "G", "S", "F"};
constexpr std::array<std::string_view, 2> matrices{"uniform", "power-law"};

[[nodiscard]] const preset& preset_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const preset& one : presets) names.emplace_back(one.name);
  (void)plait::measure::parse_name("--preset", name, names);
  return *std::ranges::find(presets, name, [](const preset& one) { return std::string(one.name); });
}

[[nodiscard]] std::int64_t number(const std::string& option, std::string_view word,
                                  std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size())
    throw plait::usage_error(fmt::format("{} has '{}'; it must be a whole number", option, word));
  plait::measure::check_range(option, value, least, most);
  return value;
}

struct prefetch {
  int eta = 0;
  bool automatic = false;
};

[[nodiscard]] std::vector<prefetch> prefetches_of(const std::vector<std::string>& words,
                                                  int ranks) {
  std::vector<prefetch> result;
  for (const std::string& word : words) {
    if (word == "auto") {
      if (ranks < 2) throw plait::usage_error("--eta has 'auto'; one rank fetches nothing");
      result.push_back({0, true});
    } else if (word == "all") {
      for (int eta = 0; eta < ranks; ++eta) result.push_back({eta, false});
    } else {
      const std::int64_t eta = number("--eta", word, 0, 1 << 20);
      result.push_back({static_cast<int>(std::min<std::int64_t>(eta, ranks - 1)), false});
    }
  }
  return result;
}

[[nodiscard]] std::vector<wanted_bar> bars_of(const preset& chosen, const std::string& algorithms,
                                              const std::vector<prefetch>& etas, int ranks) {
  std::vector<wanted_bar> bars;
  const auto add = [&](algorithm what, const prefetch& ahead) {
    wanted_bar bar{{.what = what, .eta = ahead.eta, .computes = chosen.computes}, ahead.automatic};
    bars.push_back(bar);
    if (!chosen.without_communication) return;
    bar.how.communicates = false;
    bars.push_back(bar);
  };
  const auto names = plait::measure::parse_names("--algorithms", algorithms, letters);
  const auto has = [&](std::string_view letter) {
    return std::ranges::find(names, letter) != names.end();
  };
  if (has("B")) add(algorithm::bulk, {ranks - 1, false});
  for (const prefetch& ahead : etas) {
    if (has("G")) add(algorithm::gather, ahead);
    if (has("S")) add(algorithm::scatter, ahead);
    if (has("F")) add(algorithm::flagged, ahead);
  }
  return bars;
}

[[nodiscard]] std::vector<std::int64_t> per_row_of(const command& c, const preset& chosen) {
  if (!c.per_row.empty()) {
    for (const int one : c.per_row) plait::measure::check_range("--nnz-per-row", one, 1, c.rows);
    return {c.per_row.begin(), c.per_row.end()};
  }
  if (!chosen.ratios) {
    constexpr double ratio = 4e-6;  // [section 6.3]
    return {std::max<std::int64_t>(std::llround(ratio * static_cast<double>(c.rows)), 1)};
  }
  if (c.rows < 100)
    throw plait::usage_error(
        fmt::format("--rows is {}; the preset has 100 nonzeros a row: name --nnz-per-row", c.rows));
  return {25, 50, 100};
}

[[nodiscard]] std::string list_of_presets() {
  std::vector<std::string> lines;
  for (const preset& one : presets) lines.push_back(fmt::format("{}: {}", one.name, one.about));
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options(
      "The sparse product of the architectural probes: Bulk, Gather(eta), Scatter(eta)",
      "spmv-probe");
  options.option("--preset", c.preset, "An experiment of the text. " + list_of_presets());
  options.option("--rows", c.rows, "Rows and columns");
  options.option("--nnz-per-row", c.per_row,
                 "Nonzeros of a row, with commas between; empty = the preset's");
  options.option("--matrix", c.matrix, "uniform or power-law");
  options.option("--algorithms", c.algorithms,
                 "Any of B (Bulk), G (Gather), S (Scatter), F (Scatter, its flags by puts of their "
                 "own); empty = the preset's");
  options.option("--eta", c.etas,
                 "Blocks fetched ahead, with commas between; all = 0 to ranks - 1, auto = by the "
                 "model; empty = the preset's");
  options.flag("--no-model", c.no_model, "Leave out equations 10 to 13");
  options.option("--workers", c.workers, "Workers of a rank; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  options.option("--windows", c.windows,
                 "What windows run on: messages, rma (MPI's own windows) or auto");
  options.option("--piece", c.piece, "Nonzeros of a task");
  options.option("--repeat", c.session.repeat, "Runs of each bar");
  plait::measure::add_outputs(options, c.session, "bar");
  return options.parse(argc, argv, env);
}

plan plan_of(const command& c, int ranks) {
  plait::measure::check(c.session);
  plait::measure::check_range("--rows", c.rows, 1, plait::sparse::most_rows);
  plait::measure::check_range("--workers", c.workers, 0, 1024);
  plait::measure::check_range("--piece", c.piece, 1, std::int64_t{1} << 40);
  if (!c.session.trace_file.empty())
    throw plait::usage_error("--trace is given; spmv-probe has none, PLAIT_TRACE traces the job");
  const preset& chosen = preset_of(c.preset);
  plan result;
  result.title = chosen.figure;
  result.rows = plait::measure::parse_name("--matrix", c.matrix, matrices) == "uniform"
                    ? plait::sparse::uniform_rows
                    : plait::sparse::power_law_rows;
  result.policy = plait::measure::parse_progress("--policy", c.policy);
  result.windows = plait::measure::parse_windows("--windows", c.windows);
  result.per_row = per_row_of(c, chosen);
  const auto etas =
      prefetches_of(c.etas.empty() ? std::vector<std::string>{chosen.eta} : c.etas, ranks);
  result.several_etas = etas.size() > 1;
  result.computation_alone = chosen.without_communication;
  const std::string algorithms = !c.algorithms.empty() ? c.algorithms : chosen.algorithms;
  if (!algorithms.empty()) result.bars = bars_of(chosen, algorithms, etas, ranks);
  const bool some_automatic = std::ranges::any_of(result.bars, &wanted_bar::automatic);
  result.model = ranks > 1 && c.rows >= ranks && (!c.no_model || some_automatic);
  if (result.bars.empty() && !result.model)
    throw plait::usage_error("--preset is model; that needs two ranks, a row each, and the model");
  if (some_automatic && !result.model)
    throw plait::usage_error(fmt::format("--eta has 'auto'; {} rows leave ranks without", c.rows));
  return result;
}

std::string letter_of(algorithm what) {
  return std::string(letters[static_cast<std::size_t>(what)]);
}

}  // namespace spmv_probe
