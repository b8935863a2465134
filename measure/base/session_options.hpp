// SPDX-License-Identifier: BSD-3-Clause
/// Describes what every application is asked beside its problem, and what becomes of its result.
#pragma once

#include <array>
#include <functional>
#include <string>

#include <plait/plait.hpp>

#include "command_line.hpp"
#include "gather.hpp"

namespace plait::measure {

struct session_options {
  int steps = 40;
  int repeat = 5;
  double link_rate_bytes_per_s = 0;  ///< payload rate of the link between hosts; 0 = not known
  std::string json_file;
  std::string trace_file;
  bool progress = false;
};

/// Adds --link-rate.
void add_link_rate(command_line& to, double& bytes_per_s);
/// Errors: usage_error for a rate below 0 or without end.
void check_link_rate(double bytes_per_s);

/// Adds --steps, unless `steps_help` is empty, and --repeat; `one`: what takes turns, "variant".
void add_lengths(command_line& to, session_options& options, const std::string& steps_help,
                 const std::string& one);
/// Adds the others.
void add_outputs(command_line& to, session_options& options, const std::string& one);

/// Errors: usage_error for numbers out of range.
void check(const session_options& options);
/// Errors: usage_error for files that cannot be written.  Collective.
void check_outputs(environment& env, const session_options& options);

/// "2x1x4", processes along each axis, 0 = choose.  Errors: usage_error naming `option`.
[[nodiscard]] std::array<int, 3> parse_grid(const std::string& option, const std::string& text);

/// Errors: usage_error where the ranks of a host need more memory than it has, `rank_bytes` each:
/// allocation would succeed, and the kernel end the job later without a word.  Collective.
void check_memory(environment& env, const std::string& option, double rank_bytes);

/// Holds what a session ends with.
struct outcome {
  bool verified = true;  ///< the same on every rank
  json result;           ///< on rank 0
};

/// Writes the result where it is wanted, and prints it as a table unless it went to standard
/// output.  Returns the exit code.  Errors: plait::error.
[[nodiscard]] int conclude(const environment& env, const session_options& options,
                           const outcome& done,
                           const std::function<void(const json&)>& print_table);

}  // namespace plait::measure
