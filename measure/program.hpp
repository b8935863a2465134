// SPDX-License-Identifier: BSD-3-Clause
/// Describes what every compared program asks its user, and what it ends in: the frame around an
/// application's own options and its `comparison`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "command_line.hpp"
#include "comparison.hpp"
#include "session_options.hpp"
#include "task_run.hpp"

namespace plait::measure {

/// Options that every compared program has.
struct program_options {
  std::string variants = "base,olap,plait,ideal";
  session_options session;
  std::int64_t workers = 0;
  std::int64_t in_flight = 0;
  std::string policy = "auto";

  /// Those that were asked for.  Errors: usage_error for one that is not among `known`.
  [[nodiscard]] std::vector<std::string> chosen(std::span<const std::string_view> known) const;
  /// Errors: usage_error for numbers out of range and an unknown policy.
  [[nodiscard]] task_options tasks() const;
};

/// Adds --variants, --steps (unless `steps_help` is empty), --repeat, --workers, --policy,
/// --in-flight, --link-rate, --json, --trace and --progress.
void add_program_options(command_line& to, program_options& options,
                         std::span<const std::string_view> known, const std::string& steps_help);

/// Returns what a result says of the tasks that were asked for: "workers", "policy", "in_flight".
[[nodiscard]] json to_json(const task_options& tasks);

/// Prints variants with their times, rates where they have some, what they hide, and the bounds.
void print_table(const json& result);

/// Runs the comparison.  Adds steps, repetitions and names of variants to its parameters, and to
/// its result the choices of the first variant of tasks, what limits the last variant that computes
/// as base does, and on rank 0 what `more` adds.  Writes the result and prints it.  Returns the
/// exit code.  Errors: usage_error for files that cannot be written.  Collective.
[[nodiscard]] int run_comparison(environment& env, const comparison& what,
                                 const session_options& wanted,
                                 const std::function<void(json&, const measurements&)>& more = {},
                                 const std::function<void(const json&)>& print = print_table);

}  // namespace plait::measure
