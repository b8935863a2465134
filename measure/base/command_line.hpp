// SPDX-License-Identifier: BSD-3-Clause
/// The words of a measured program's command line, on CLI11, with errors of one line from one rank.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

namespace plait::measure {

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

/// The place of `word` in `known`.  Errors: as parse_names.
[[nodiscard]] std::size_t parse_place(const std::string& option, const std::string& word,
                                      std::span<const std::string_view> known);

/// The enumerator whose name `word` is: `known` are the names of all, in their order, from 0 on.
/// Errors: as parse_names.
template <class Kind>
[[nodiscard]] Kind parse_kind(const std::string& option, const std::string& word,
                              std::span<const std::string_view> known) {
  return static_cast<Kind>(parse_place(option, word, known));
}

/// A policy of progress by its name.  Errors: as parse_names.
[[nodiscard]] progress parse_progress(const std::string& option, const std::string& word);

/// Returns the choice of that name: the operations that windows run on.  Errors: as parse_names.
[[nodiscard]] windows_on parse_windows(const std::string& option, const std::string& word);

/// Errors: usage_error naming `option` unless low <= value <= high.
void check_range(const std::string& option, std::int64_t value, std::int64_t low,
                 std::int64_t high);

/// Errors: usage_error naming `option` unless 0 < value <= most.
void check_positive(const std::string& option, double value, std::int64_t most);

/// The options of a program.  CLI11 stays behind it: its headers cost ten seconds to compile.
class command_line {
 public:
  command_line(const std::string& description, const std::string& program);
  ~command_line();

  /// `--name VALUE`, stored in `to`, whose present value the help shows.  Values of a vector have
  /// commas between.  T: int, std::int64_t, std::size_t, double, std::string or a vector of int,
  /// double or std::string.
  template <class T>
  void option(const std::string& name, T& to, const std::string& help);
  /// Adds an option that is not in the help: for a program that starts itself.
  template <class T>
  void hidden_option(const std::string& name, T& to);
  void flag(const std::string& name, bool& to, const std::string& help);
  /// Refuses `old_name`, in a line that names the option it is now.
  void renamed(const std::string& old_name, const std::string& new_name);

  /// Returns false when the program should end with success, because help was asked for; `speaks`:
  /// this process prints it.  Errors: usage_error.
  [[nodiscard]] bool parse(int argc, char** argv, bool speaks);
  /// Parses on all ranks, of which rank 0 speaks.
  [[nodiscard]] bool parse(int argc, char** argv, const environment& env);

 private:
  struct implementation;
  std::unique_ptr<implementation> self_;
};

/// Checks that the file can be written; empty and "-" can.  Errors: usage_error naming `option`.
void check_writable(const std::string& option, const std::string& path);

/// Checks on rank 0 that the file can be written; empty and "-" can.  Collective.  Errors:
/// usage_error on every rank.
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

}  // namespace plait::measure
