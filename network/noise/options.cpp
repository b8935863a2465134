// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <cmath>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "measure/base/parse_line.hpp"

namespace plait::network::noise {
namespace {

constexpr double longest_s = 1e6;
constexpr double longest_count_s = 60;

/// The command line, word for word.
struct words {
  std::string period, length, cores = "all", precedence = "auto", json;
  std::vector<std::string> phases;
  double seconds = 0, count_seconds = 1;
  pid_t parent = 0;
};

/// Returns whether there is something to do; `given` says which options were there.
[[nodiscard]] bool parse_words(int argc, char** argv, words& given, bool& has_time) {
  CLI::App app("Takes a share of some cores away from all that runs there", "noise");
  app.add_option("--period", given.period, "Time between bursts: 1ms, 100ms")->required();
  app.add_option("--length", given.length, "Processor time of a burst: 25us, 2.5ms")->required();
  app.add_option("--cores", given.cores, "Which cores: 0,2-3 or all")->capture_default_str();
  app.add_option("--phases", given.phases,
                 "When the first burst of each core comes: 0us,500us; spread evenly if left out")
      ->delimiter(',');
  app.add_option("--priority", given.precedence, "fifo, nice, or auto: the first that is allowed")
      ->capture_default_str();
  app.add_option("--count-seconds", given.count_seconds,
                 "How long a thread a core counts what is taken, before the line `ready`; 0 = not")
      ->capture_default_str();
  auto* const time =
      app.add_option("--seconds", given.seconds, "Ends after so long; else by a signal");
  app.add_option("--json", given.json, "File for the figures, at the end");
  app.add_option("--parent", given.parent)->group("");  // for the plait command
  if (!measure::parse_line<refused>(app, argc, argv)) return false;
  has_time = time->count() > 0;
  return true;
}

/// Errors: `refused` where the number is not in the range.
[[nodiscard]] nanoseconds seconds_of(const char* option, double seconds, double most) {
  if (!(seconds >= 0) || seconds > most)
    throw refused(fmt::format("{} {}: give 0 to {}", option, seconds, most));
  return nanoseconds(std::llround(1e9 * seconds));
}

[[nodiscard]] precedence precedence_of(const std::string& word) {
  const std::map<std::string, precedence> known{
      {"auto", precedence::automatic}, {"fifo", precedence::real_time}, {"nice", precedence::nice}};
  const auto found = known.find(word);
  if (found == known.end())
    throw refused(fmt::format("--priority knows no '{}'; there are auto, fifo and nice", word));
  return found->second;
}

}  // namespace

std::optional<request> parse(int argc, char** argv) {
  words given;
  bool has_time = false;
  if (!parse_words(argc, argv, given, has_time)) return std::nullopt;
  std::vector<nanoseconds> phases;
  for (const std::string& word : given.phases) phases.push_back(parse_duration("--phases", word));
  request result;
  result.plans =
      plan(parse_duration("--period", given.period), parse_duration("--length", given.length),
           parse_cores(given.cores, allowed_cores()), phases);
  result.how = precedence_of(given.precedence);
  result.counting = seconds_of("--count-seconds", given.count_seconds, longest_count_s);
  if (has_time) result.time = seconds_of("--seconds", given.seconds, longest_s);
  if (given.parent > 0) result.parent = given.parent;
  result.json_file = given.json;
  return result;
}

}  // namespace plait::network::noise
