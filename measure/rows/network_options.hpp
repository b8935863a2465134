// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the command lines of nbc and overlap have in common, and the rows that both
/// measure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <plait/plait.hpp>

#include "measure/base/command_line.hpp"
#include "measure/base/named.hpp"
#include "measured_rows.hpp"
#include "row_limits.hpp"

namespace plait::measure {

struct common_options {
  std::string sizes = {};
  std::string only = {};
  std::int64_t pieces = 16;
  double sample_ms = 50;
  row_options rows = {};
};

/// Adds them to a command line; `names`: all rows there are.
void add_common(command_line& command, common_options& given, std::span<const std::string> names);

/// Errors: usage_error on every rank.  Collective.
void check_common(const common_options& given, environment& env);

/// The environment of the result: rows and what they call, and what `auto` stands for here.
/// Collective.
[[nodiscard]] json describe_run(environment& env, const json& about);

/// Returns what `command` was asked for, for the result.
[[nodiscard]] json parameters_of(const common_options& given);

/// Policies that have a row of tasks, the one that is always measured first.
[[nodiscard]] std::span<const progress> task_policies() noexcept;
/// "plait auto"
[[nodiscard]] std::string row_of(progress policy);

inline constexpr const char* nonblocking_row = "nonblocking";
inline constexpr const char* tested_row = "nonblocking tested";

}  // namespace plait::measure
