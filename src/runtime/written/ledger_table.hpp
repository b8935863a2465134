// SPDX-License-Identifier: BSD-3-Clause
/// The ledger of a whole program as a table of at most 80 columns, and what it means.
#pragma once

#include <string>
#include <vector>

#include <plait/task/ledger.hpp>

namespace plait {

// Of each rank the mean over its workers.

/// One plain sentence: what, besides computation, took most of the time, and what helps.
[[nodiscard]] std::string meaning_of(const std::vector<ledger_entry>& ranks);

/// A line for each rank, for many ranks those that waited most, then the mean and `meaning_of`.
[[nodiscard]] std::string ledger_table(const std::vector<ledger_entry>& ranks, int workers,
                                       int runtimes);

}  // namespace plait
