// SPDX-License-Identifier: BSD-3-Clause
/// Reads what callgrind has written of this process.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace plait::bench::counts {

/// Counts of what was executed in some stretches of this process.
struct profile {
  std::uint64_t instructions = 0;      ///< of all, MPI library and C library too
  std::uint64_t own_instructions = 0;  ///< in plait's objects
  /// In plait's objects: atomic read-modify-writes, and stores in the one order of all threads.
  std::uint64_t locked_instructions = 0;
  std::uint64_t allocations = 0;  ///< by `operator new`
  std::map<std::string, std::uint64_t> own_by_function = {};

  void add(const profile& other);
};

/// Reads a file of callgrind's, written with addresses (`--dump-instr=yes`) and nothing shortened.
/// Functions of the work that is given to tasks are left out of `own…`.  Errors: plait::error.
[[nodiscard]] profile read_profile(const std::string& path);

/// Returns the words of a client request by which the file came about; empty if by none.
[[nodiscard]] std::string request_in(const std::string& path);

}  // namespace plait::bench::counts
