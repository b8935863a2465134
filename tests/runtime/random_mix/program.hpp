// SPDX-License-Identifier: BSD-3-Clause
/// Mixed programs: everything that plait can do, in one program for all ranks of a job, made from a
/// seed.  Every rank makes the whole of it and its result by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/runtime/runtime.hpp>

#include "statement.hpp"

namespace plait::test::mix {

/// Statements that run several times, recorded on some ranks and submitted anew on others.
struct part {
  std::vector<statement_ptr> statements;  ///< in the order of the serial execution
  /// By rank: those in which it takes part, in the order of its submissions.  Tasks may come later
  /// than in the serial execution, past what they do not conflict with; messages never, so that the
  /// ranks cannot deadlock.
  std::vector<std::vector<std::size_t>> orders;
  std::uint64_t iterations = 1;
  std::vector<bool> replays;  ///< by rank
  bool in_two_replays = false;
  bool waits_after = false;

  [[nodiscard]] bool resizes() const;
};

struct program {
  std::uint64_t fill_seed = 0;  ///< of the memory before it
  std::vector<part> parts;

  /// Without the statements of these numbers, and those that need them.
  void drop(std::vector<std::size_t> numbers);
  void apply(job_memory& job) const;
};

[[nodiscard]] program make_program(std::uint64_t seed, const scene& with);

/// Programs with consecutive seeds run in one runtime, on one array.
inline constexpr std::uint64_t programs_of_a_runtime = 8;
[[nodiscard]] runtime_options make_options(std::uint64_t seed, int ranks);
[[nodiscard]] moved_array make_array(std::uint64_t seed, int ranks);
/// "workers 2, policy none, in_flight 64 …"
[[nodiscard]] std::string to_string(const runtime_options& options);

}  // namespace plait::test::mix
