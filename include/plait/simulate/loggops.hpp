// SPDX-License-Identifier: BSD-3-Clause
/// Runs programs by LogGOPS as LogGOPSim 76451de does, to the nanosecond, oddities included.  Not
/// here: who looks after messages, and when.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// The model's parameters, in ns, ns a byte, and bytes; LogGOPSim's defaults.
struct loggops_parameters {
  std::uint64_t L = 2500;   ///< latency
  std::uint64_t o = 1500;   ///< processor time of a message at either end
  std::uint64_t g = 1000;   ///< network card's time of a message
  std::uint64_t G = 6;      ///< network card's time of a byte
  std::uint64_t O = 0;      ///< processor time of a byte
  std::uint64_t S = 65535;  ///< longest message that is sent without its receive

  friend bool operator==(const loggops_parameters&, const loggops_parameters&) = default;
};

/// Reads "L=2500,o=1500,g=1000,G=6,O=0,S=65535"; what is left out keeps its default.
/// Errors: `usage_error` that names the part.
[[nodiscard]] loggops_parameters parse_loggops(std::string_view text);

/// Ways to run a program; both give equal results wherever both can run it.
enum class loggops_engine : std::uint8_t {
  automatic,  ///< `lanes` where it can run the program
  plain,      ///< one heap of all events, as LogGOPSim has it
  lanes,      ///< a heap of ranks: one processor and card a rank, no message of 0 bytes
};

/// Outcome of a run.
struct loggops_outcome {
  std::vector<std::uint64_t> finish_ns;  ///< of each rank
  std::uint64_t operations = 0;          ///< in the program
  std::uint64_t done = 0;                ///< ended; one that ended twice counts twice
  std::uint64_t events = 0;              ///< operations and messages that were handled
  std::uint64_t left_receives = 0;       ///< receives without a message
  std::uint64_t left_messages = 0;       ///< messages without a receive
  std::vector<std::string> left;         ///< a line for each of the first that were left over

  [[nodiscard]] std::uint64_t latest_ns() const;
};

/// Runs all iterations of `what`, whose durations are taken in ns.  Errors: `usage_error` where the
/// program is wrong (`check`), or `engine` cannot run it.
[[nodiscard]] loggops_outcome run_loggops(const program& what, const loggops_parameters& network,
                                          loggops_engine engine = loggops_engine::automatic);

/// Returns why `loggops_engine::lanes` cannot run the program; empty: it can.
[[nodiscard]] std::string why_no_lanes(const program& what, const loggops_parameters& network);

}  // namespace plait::simulate
