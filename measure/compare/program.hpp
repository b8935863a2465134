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

#include "comparison.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/session_options.hpp"
#include "task_run.hpp"

namespace plait::measure {

/// Options that every compared program has.
struct program_options {
  std::string variants = "base,olap,plait,ideal";
  session_options session;
  std::int64_t workers = 0;
  std::int64_t in_flight = 0;
  std::string policy = "auto";

  /// Returns the variants that were asked for.  Errors: usage_error for one that is not among
  /// `known`.
  [[nodiscard]] std::vector<std::string> chosen(std::span<const std::string_view> known) const;
  /// Errors: usage_error for numbers out of range and an unknown policy.
  [[nodiscard]] runtime_options tasks() const;
};

/// Returns the options of a program that measures these variants, so many steps and so many tasks
/// in flight unless its command line says others.
[[nodiscard]] program_options usual_options(const std::string& variants, int steps = 40,
                                            std::int64_t in_flight = 0);

/// Adds --variants, --steps (unless `steps_help` is empty), --repeat, --workers, --policy,
/// --in-flight, --link-rate, --json, --trace and --progress.
void add_program_options(command_line& to, program_options& options,
                         std::span<const std::string_view> known, const std::string& steps_help);

/// Returns what a result says of the tasks that were asked for: "workers", "policy", "in_flight".
[[nodiscard]] json to_json(const runtime_options& how);

/// A column of a table of variants: a figure that the result has of each, or of some.
struct table_column {
  std::string title;
  std::string figure;  ///< its member of a variant
  std::string form = "{:.4f}";
};

/// Prints variants with their times, rates where they have some, `more` figures, what they hide,
/// the bounds, and the share of the memory's bandwidth where that was measured.
void print_table(const json& result, const std::vector<table_column>& more = {});

/// Runs the comparison.  Adds steps, repetitions and names of variants to its parameters, and to
/// its result the choices of the first variant of tasks, what limits the variant that
/// `what.limited` picks, and on rank 0 what `more` adds.  Writes the result and prints it.  Returns
/// the exit code.  Errors: usage_error for files that cannot be written.  Collective.
[[nodiscard]] int run_comparison(
    environment& env, const comparison& what, const session_options& wanted,
    const std::function<void(json&, const measurements&)>& more = {},
    const std::function<void(const json&)>& print = [](const json& result) {
      print_table(result);
    });

}  // namespace plait::measure
