// SPDX-License-Identifier: BSD-3-Clause
/// Reads recordings of plait's programs (PLAIT_RECORD) as programs.  Not here: the files' format
/// (trace/recording.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/simulate/program.hpp>
#include <plait/trace/recording.hpp>

namespace plait::simulate {

/// A program that was recorded, and what is known of the run.
struct recorded_program {
  /// One template a rank, in ns.  The name of an operation is that of its task or message.  The two
  /// sides of a message have a tag of their own, since plait matches by the order of submission.
  program operations;
  std::string name;
  std::string policy;
  std::uint32_t workers = 1;           ///< of rank 0
  std::vector<std::uint32_t> node_of;  ///< node of each rank, numbered from 0
  std::vector<std::uint32_t> cores;    ///< that each rank could use
  /// Of the slowest rank; of one runtime from its first task or message to its last.
  std::uint64_t measured_ns = 0;
  /// Why no prediction of it is to be trusted; empty: nothing is known against it.
  std::string doubt;
};

/// Bounds of what is read.
struct recording_limits {
  std::size_t file_bytes = std::size_t{1} << 30;      ///< of all ranks together
  std::uint64_t operations = std::uint64_t{1} << 27;  ///< of all ranks together
};

/// Reads the files of all ranks in a folder.  `runtime`: the only runtime of the program to take,
/// from 0, without the program's own computation before its first task or message and after its
/// last; left out: all, one after the other.  Errors: usage_error, one line that names the file.
[[nodiscard]] recorded_program read_recording(const std::string& folder,
                                              std::optional<std::uint32_t> runtime = {},
                                              const recording_limits& limits = {});

/// Makes a program of the recordings of all ranks, in order.  `where` begins the errors.  Errors:
/// usage_error where there was more than was kept, where a message has one side or two sizes, and
/// for operations on windows and collectives of the MPI library, which no simulator knows.
[[nodiscard]] recorded_program program_of(std::span<const recording> ranks,
                                          const std::string& where,
                                          std::optional<std::uint32_t> runtime = {},
                                          const recording_limits& limits = {});

}  // namespace plait::simulate
