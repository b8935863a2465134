// SPDX-License-Identifier: BSD-3-Clause
/// Settings of the attached library, which it reads from the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plait::attach {

enum switch_bit : std::uint32_t {
  switch_profile = 1,
  switch_progress = 2,
  switch_trace = 4,
  switch_verify = 8,
};

inline constexpr std::string_view switch_names[] = {"profile", "progress", "trace", "verify"};

/// Settings that `plait attach` passes in environment variables.
struct settings {
  std::uint32_t switches = 0;
  bool quiet = false;
  std::string json;
  std::string trace;
  bool counts_clock = false;                ///< instead of instructions: for tests
  std::uint64_t trace_bytes = 128'000'000;  ///< the trace's file is no longer
  int gathers = 64;                         ///< ranks; of more, each takes its own waits apart
  std::string folder;                       ///< of the files that outlive a process
  [[nodiscard]] bool has(switch_bit one) const noexcept { return (switches & one) != 0; }
};
/// Reads the environment.  Errors: a text that names what is wrong.
[[nodiscard]] settings read_settings(std::string& wrong);

}  // namespace plait::attach
