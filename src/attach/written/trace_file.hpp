// SPDX-License-Identifier: BSD-3-Clause
/// The calls of all ranks as a trace that Perfetto opens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "attach/after/analysis.hpp"

namespace plait::attach {

struct written_trace {
  std::string text;
  std::optional<double> until_s;  ///< what begins later is left out
};
/// Leaves the end of the run out where the text would be longer than that.
[[nodiscard]] written_trace trace_of(std::span<const rank_profile> ranks, const analysis& run,
                                     std::uint64_t most_bytes);

}  // namespace plait::attach
