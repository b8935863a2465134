// SPDX-License-Identifier: BSD-3-Clause
/// Words on the command line that the tests of random programs share, and the report of how far
/// they are.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/comm/environment.hpp>

namespace plait::test {

/// The words that this process was started with; GoogleTest keeps its own from them.
[[nodiscard]] std::vector<std::string> words_of_this_process();
/// The word behind `word`, if it is there.  Errors: usage_error where nothing follows.
[[nodiscard]] std::optional<std::string> value_after(const std::vector<std::string>& words,
                                                     std::string_view word);
/// Errors: usage_error, with the name of the number, for anything else.
[[nodiscard]] std::uint64_t number_from(const std::string& text, std::string_view name);

struct soak_options {
  std::uint64_t programs = 0;
  std::uint64_t seed = 1;
  bool progress = false;
};

/// --programs N (else PLAIT_TEST_PROGRAMS, else `usual`), --seed S and --progress.
[[nodiscard]] soak_options soak_options_from(const std::vector<std::string>& words,
                                             std::uint64_t usual);

/// Says on rank 0, once a second, how many programs are done.
class progress_printer {
 public:
  progress_printer(const soak_options& o, int rank)
      : options_(o), quiet_(rank != 0 || !o.progress) {}
  void done(std::uint64_t programs, std::uint64_t seed);

 private:
  const soak_options options_;
  const bool quiet_;
  std::chrono::steady_clock::time_point next_{};
};

/// Collective.
[[nodiscard]] bool failed_anywhere(environment& env, bool here);

}  // namespace plait::test
