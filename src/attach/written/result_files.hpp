// SPDX-License-Identifier: BSD-3-Clause
/// Writes what the environment asks for.
#pragma once

#include <vector>

#include "attach/after/analysis.hpp"
#include "attach/books/settings.hpp"

namespace plait::attach {

/// Analyses and writes.  Errors: `error` where a file cannot be written.
void write_results(const std::vector<rank_profile>& ranks, const settings& asked);
/// Writes what is known of a job, and the calls of some of its ranks where a trace is asked for.
void write_results(const analysis& found, const std::vector<rank_profile>& traced,
                   const settings& asked);

}  // namespace plait::attach
