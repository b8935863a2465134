// SPDX-License-Identifier: BSD-3-Clause
/// Runs other processes beside this one: this program again, or a peer that is a program itself.
#pragma once

#include <string>
#include <vector>

namespace plait::measure {

/// Starts this program's executable with `arguments`, waits, and returns what it wrote to standard
/// output.  The environment is passed on without the MPI launcher's variables: the child is alone,
/// and may be a launcher itself.  Benchmarks measure every implementation in a fresh process, so
/// that none inherits the threads, the pinning or the heap of another.  Errors: plait::error when
/// it cannot start or does not end with 0.
[[nodiscard]] std::string run_self(const std::vector<std::string>& arguments);

/// Runs a line of the shell in a folder, with nothing on its standard input, waits, and returns
/// what it wrote to standard output.  The environment is passed on as to `run_self`.  Errors:
/// plait::error when it does not end with 0.
[[nodiscard]] std::string run_line(const std::string& folder, const std::string& line);

/// Starts a program, waits, and returns what it wrote to standard output.  The environment is
/// passed on as to `run_self`; with `as_this_rank` all of it is, so that to MPI the child is this
/// rank, which must not have started MPI.  Errors: plait::error when it does not end with 0.
[[nodiscard]] std::string run_program(const std::string& program,
                                      const std::vector<std::string>& arguments,
                                      bool as_this_rank = false);

}  // namespace plait::measure
