// SPDX-License-Identifier: BSD-3-Clause
/// Reads and writes programs as GOAL files, text and binary, as LogGOPSim reads them.  Not here:
/// what the operations cost.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Bounds of what is read.
struct goal_limits {
  std::size_t file_bytes = std::size_t{2} << 30;  ///< a longer file is refused before it is read
  int reported_problems = 20;                     ///< further bad lines are counted only
};

/// Reads a GOAL file: one template a rank, one iteration.  A file that begins with the number 4223
/// is binary, any other is text.  In a text, a `//` comment on a line of its own is the name of the
/// operation below it.  Takes about four times the file's size of memory.
/// Errors: `usage_error` whose text has a line for each bad line of the file, each with its number.
[[nodiscard]] program read_goal(const std::string& path, const goal_limits& limits = {});

/// Reads GOAL from memory; `name` stands in messages.  Errors: as `read_goal`.
[[nodiscard]] program parse_goal(std::string_view data, const std::string& name,
                                 const goal_limits& limits = {});

/// Returns the program as GOAL text: all iterations one after the other, durations in ns, and names
/// as comments.
[[nodiscard]] std::string goal_text(const program& written);

/// Returns the program in GOAL's binary form.  Precondition: as the form has them, fewer than 2^32
/// operations a rank.
[[nodiscard]] std::string goal_binary(const program& written);

/// Returns the template with `iterations` of it one after the other, edges to the next iteration
/// resolved.  Operation `op` of iteration i is number i * size + op.  Durations stay as they are.
[[nodiscard]] rank_template unrolled(const rank_template& one, std::uint32_t iterations);

}  // namespace plait::simulate
