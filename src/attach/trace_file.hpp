// SPDX-License-Identifier: BSD-3-Clause
/// The calls of all ranks as a trace that Perfetto opens.
#pragma once

#include <span>
#include <string>

#include "attach/analysis.hpp"

namespace plait::attach {

[[nodiscard]] std::string trace_text(std::span<const rank_profile> ranks, const analysis& run);

}  // namespace plait::attach
