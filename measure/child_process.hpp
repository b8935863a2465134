// SPDX-License-Identifier: BSD-3-Clause
/// Runs this program again with other arguments.  Benchmarks measure every implementation in a
/// fresh process, so that none inherits the threads, the pinning or the heap of another.
#pragma once

#include <string>
#include <vector>

namespace plait::measure {

/// Starts this program's executable with `arguments`, waits, and returns what it wrote to standard
/// output.  The environment is passed on without the MPI launcher's variables: the child is alone.
/// Errors: plait::error when it cannot start or does not end with 0.
[[nodiscard]] std::string run_self(const std::vector<std::string>& arguments);

}  // namespace plait::measure
