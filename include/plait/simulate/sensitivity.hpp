// SPDX-License-Identifier: BSD-3-Clause
/// Says what the time of a run by LogGOPS consists of, and what it would be with other parameters.
///
/// The time is the length of one path through the run, so T = λ_L L + λ_o o + λ_g g + λ_G G + λ_O O
/// + computation holds exactly.  The λ are derivatives as long as all events keep their order;
/// where the order changes, the time may jump, also downwards.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/simulate/loggops.hpp>
#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Number of times that each parameter stands on the path, and the computation there.
struct path_terms {
  std::int64_t L = 0;  ///< λ_L
  std::int64_t o = 0;
  std::int64_t g = 0;
  std::int64_t G = 0;  ///< bytes whose time on the wire counts
  std::int64_t O = 0;  ///< bytes whose processor time counts
  std::uint64_t computation_ns = 0;

  /// Returns the length of the path with these parameters.
  [[nodiscard]] std::uint64_t time_ns(const loggops_parameters& network) const;

  friend bool operator==(const path_terms&, const path_terms&) = default;
};

/// Computation on the path by the name of the task or call site.
struct named_computation {
  std::string name;
  std::uint64_t ns = 0;
};

/// One operation on the path, from its begin to the begin of the next.
struct path_step {
  std::uint32_t rank = 0;
  std::uint32_t operation = 0;  ///< in all iterations: iteration * size + operation
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  const char* what = "";  ///< "calc", "send", "wire", "receive" or "card"
};

/// Parts of the time that can limit it.
enum class limiter : std::uint8_t { computation, latency, bytes, overhead, gap };
[[nodiscard]] std::string_view to_string(limiter what);

/// A run and its longest path.
struct explanation {
  loggops_outcome outcome;
  std::uint32_t last_rank = 0;  ///< where the path ends
  path_terms terms;
  std::vector<named_computation> computation;  ///< by name, the largest first
  std::vector<path_step> path;                 ///< in the order of time
};

/// More operations than `explain` takes: it keeps about half a kilobyte of each.
inline constexpr std::uint64_t most_explained_operations = 2'000'000;

/// Runs the program and follows its longest path.  Errors: as `run_loggops`, and `usage_error`
/// where the program has more than `most_explained_operations`.
[[nodiscard]] explanation explain(const program& what, const loggops_parameters& network);

/// Returns which part of the path is the largest; of equal ones the first of `limiter`.
[[nodiscard]] limiter limiter_of(const path_terms& terms, const loggops_parameters& network);

/// Returns the run, with its order frozen, as a linear program in the format of .lp files: minimise
/// T, variables for all times, and L, o, g, G and O fixed, whose reduced costs are the λ.  Errors:
/// as `explain`, and `usage_error` where a message has 0 bytes.
[[nodiscard]] std::string linear_program(const program& what, const loggops_parameters& network);

}  // namespace plait::simulate
