// SPDX-License-Identifier: BSD-3-Clause
/// The calls of all ranks as a trace that Perfetto opens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "attach/after/analysis.hpp"

namespace plait::attach {

/// Keeps what a trace of that size can have of one of the ranks in it: the first calls, and what
/// was complete when the last of these was over.
void trim_for_trace(rank_profile& one, std::uint64_t most_bytes);

struct written_trace {
  std::string text;
  std::optional<double> until_s;  ///< what begins later is left out
};
/// Leaves the end of the run out where the text would be longer than that.
[[nodiscard]] written_trace trace_of(std::span<const rank_profile> ranks, const analysis& run,
                                     std::uint64_t most_bytes);

}  // namespace plait::attach
