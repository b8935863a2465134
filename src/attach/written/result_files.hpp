// SPDX-License-Identifier: BSD-3-Clause
/// Writes what the environment asks for.
#pragma once

#include <vector>

#include "attach/after/rank_profile.hpp"
#include "attach/books/settings.hpp"

namespace plait::attach {

/// Analyses and writes.  Errors: `error` where a file cannot be written.
void write_results(const std::vector<rank_profile>& ranks, const settings& asked);

}  // namespace plait::attach
