// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plait::network::noise {
namespace {

using namespace std::chrono_literals;

// A shorter burst would be lost among the interrupts of the clock.
constexpr nanoseconds shortest_burst = 5us;
constexpr nanoseconds longest_period = 10s;
// The kernel leaves a twentieth to others than real-time threads by itself.
constexpr double largest_share = 0.9;
constexpr std::array<std::pair<std::string_view, double>, 3> units{
    {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

/// The number that a text is, and nothing else.
[[nodiscard]] std::optional<int> whole(std::string_view text) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// First and last core of "3" or "2-5".
[[nodiscard]] std::pair<int, int> range_of(const std::string& word) {
  const std::size_t dash = word.find('-');
  const auto first = whole(std::string_view(word).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : whole(std::string_view(word).substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first)
    throw refused(fmt::format("--cores: '{}' is no core; write 0,2-3 or all", word));
  return {*first, *last};
}

}  // namespace

nanoseconds parse_duration(const std::string& option, const std::string& word) {
  double number = 0;
  const auto [rest, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view unit(rest, static_cast<std::size_t>(word.data() + word.size() - rest));
  const auto* const found = std::ranges::find(units, unit, &decltype(units)::value_type::first);
  if (failed != std::errc{} || found == units.end() || !(number >= 0) || number > 1e9)
    throw refused(fmt::format("{}: '{}' is no duration; write 25us, 2.5ms or 1s", option, word));
  return nanoseconds(std::llround(number * found->second));
}

std::string duration_text(nanoseconds duration) {
  const auto count = static_cast<double>(duration.count());
  const auto [unit, factor] = count >= 1e9 ? units[2] : count >= 1e6 ? units[1] : units[0];
  return fmt::format("{:.6g}{}", count / factor, unit);
}

std::vector<int> parse_cores(const std::string& text, const std::vector<int>& allowed) {
  if (text == "all") return allowed;
  std::vector<int> cores;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto [first, last] = range_of(word);
    for (int core = first; core <= last; ++core) {
      if (std::ranges::find(allowed, core) == allowed.end())
        throw refused(fmt::format("--cores: core {} cannot be used here; there are {}", core,
                                  fmt::join(allowed, ",")));
      if (std::ranges::find(cores, core) != cores.end())
        throw refused(fmt::format("--cores: core {} is named twice", core));
      cores.push_back(core);
    }
  }
  if (cores.empty()) throw refused("--cores names no core; write 0,2-3 or all");
  return cores;
}

std::vector<burst_plan> plan(nanoseconds period, nanoseconds length, const std::vector<int>& cores,
                             const std::vector<nanoseconds>& phases) {
  if (length < shortest_burst)
    throw refused(fmt::format("--length {}: a burst takes at least {}", duration_text(length),
                              duration_text(shortest_burst)));
  if (period > longest_period)
    throw refused(fmt::format("--period {}: the longest is {}", duration_text(period),
                              duration_text(longest_period)));
  if (static_cast<double>(length.count()) > largest_share * static_cast<double>(period.count()))
    throw refused(fmt::format("--length {} every {}: at most {:.0f} % of a core can be taken",
                              duration_text(length), duration_text(period), 100 * largest_share));
  if (!phases.empty() && phases.size() != cores.size())
    throw refused(fmt::format("--phases: {} for {} core{}", phases.size(), cores.size(),
                              cores.size() == 1 ? "" : "s"));
  std::vector<burst_plan> plans;
  const auto count = static_cast<nanoseconds::rep>(cores.size());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const nanoseconds phase =
        phases.empty() ? period * static_cast<nanoseconds::rep>(i) / count : phases[i];
    if (phase >= period)
      throw refused(fmt::format("--phases: {} is not below the period, {}", duration_text(phase),
                                duration_text(period)));
    plans.push_back({cores[i], period, length, phase});
  }
  return plans;
}

double wanted_share(const burst_plan& plan) {
  return static_cast<double>(plan.length.count()) / static_cast<double>(plan.period.count());
}

}  // namespace plait::network::noise
