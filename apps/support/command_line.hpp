// SPDX-License-Identifier: BSD-3-Clause
/// The words of a measured program's command line, on CLI11, with errors of one line from one rank.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <plait/plait.hpp>

namespace plait::app {

/// "512x512x64" as three numbers, each at least `least`.  Errors: usage_error naming `option`.
[[nodiscard]] std::array<std::int64_t, 3> parse_extents(const std::string& option,
                                                        const std::string& text,
                                                        std::int64_t least);

/// "a,b,c" as names out of `known`, none twice, in the order given.  Errors: usage_error naming
/// `option`, the unknown word and the known ones.
[[nodiscard]] std::vector<std::string> parse_names(const std::string& option,
                                                   const std::string& text,
                                                   std::span<const std::string_view> known);

/// `word`, which must be one of `known`.  Errors: as parse_names.
[[nodiscard]] std::string parse_name(const std::string& option, const std::string& word,
                                     std::span<const std::string_view> known);

/// Errors: usage_error naming `option` unless low <= value <= high.
void check_range(const std::string& option, std::int64_t value, std::int64_t low,
                 std::int64_t high);

/// CLI11's parse, with its errors as usage_error.  Returns false when the program should end with
/// success, because help was asked for (rank 0 has printed it).
[[nodiscard]] bool parse(CLI::App& options, int argc, char** argv, const environment& env);

/// Checks on rank 0 that the file can be written (it is created empty if missing); empty and "-"
/// can. Collective.  Errors: usage_error on every rank.
void check_writable(environment& env, const std::string& option, const std::string& path);

/// Exit codes of measured programs.
inline constexpr int exit_verified = 0;
inline constexpr int exit_not_verified = 1;
inline constexpr int exit_usage = 2;

/// Runs `body`; bad input ends it with one line "program: what" on rank 0 and code 2 on every rank.
/// Anything else that is thrown leaves.
template <class Body>
int run_program(const environment& env, std::string_view program, Body&& body);

/// Prints "program: what" on standard error, on rank 0 only.
void complain(const environment& env, std::string_view program, std::string_view what);

template <class Body>
int run_program(const environment& env, std::string_view program, Body&& body) {
  try {
    return body();
  } catch (const usage_error& error) {
    complain(env, program, error.what());
    return exit_usage;
  }
}

}  // namespace plait::app
