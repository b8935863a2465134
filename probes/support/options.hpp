// SPDX-License-Identifier: BSD-3-Clause
/// What the command lines of nbc and overlap have in common, and the rows that both measure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "measure/command_line.hpp"
#include "measured_rows.hpp"

namespace plait::probes {

struct common_options {
  std::string sizes = {};
  std::string only = {};
  std::int64_t pieces = 16;
  std::int64_t repeat = 5;
  double sample_ms = 50;
  std::string json_file = {};
  bool progress = false;
};

/// Adds them to a command line; `names`: all rows there are.
void add_common(measure::command_line& command, common_options& given,
                std::span<const std::string> names);

/// Errors: usage_error on every rank.  Collective.
void check_common(const common_options& given, environment& env);

[[nodiscard]] bench::repetition_options repetition_of(const common_options& given,
                                                      const environment& env);

/// The environment of the result: rows and what they call, and what `auto` stands for here.
/// Collective.
[[nodiscard]] bench::json describe_run(environment& env, const bench::json& about);

/// What `command` was asked for, for the result.
[[nodiscard]] bench::json parameters_of(const common_options& given);

/// Shows the rows, and writes the result file where one is wanted.  Rank 0.
void finish(const common_options& given, const std::string& program, bench::json parameters,
            bench::json where, bench::json rows);

/// Policies that have a row of tasks, the one that is always measured first.
[[nodiscard]] std::span<const progress> task_policies() noexcept;
/// "plait auto"
[[nodiscard]] std::string row_of(progress policy);

inline constexpr const char* blocking_row = "blocking";
inline constexpr const char* nonblocking_row = "nonblocking";
inline constexpr const char* tested_row = "nonblocking tested";
/// What is measured without the others, and the most that can be reached.
inline constexpr const char* alone_row = "alone";

/// Those of `all` that `only` names; the first `by_default` of them when it names none.  Way has a
/// `name`.  Errors: usage_error.
template <class Way>
[[nodiscard]] std::vector<Way> chosen_ways(const std::vector<Way>& all, const std::string& only,
                                           std::size_t by_default) {
  if (only.empty()) return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(by_default)};
  std::vector<std::string_view> known;
  for (const Way& each : all) known.push_back(each.name);
  std::vector<Way> result;
  for (const std::string& name : measure::parse_names("--only", only, known)) {
    for (const Way& each : all) {
      if (each.name == name) result.push_back(each);
    }
  }
  return result;
}

template <class Way>
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Way>& all) {
  std::vector<std::string> names;
  for (const Way& each : all) names.push_back(each.name);
  return names;
}

template <class Way>
[[nodiscard]] bench::json about(const std::vector<Way>& all) {
  bench::json said = bench::json::object();
  for (const Way& each : all) said[each.name] = each.about;
  return said;
}

}  // namespace plait::probes
