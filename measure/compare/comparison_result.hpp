// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a result file says of a comparison, whatever was computed: see
/// docs/use/results.md.
#pragma once

#include <optional>
#include <string>

#include <plait/plait.hpp>

#include "comparison.hpp"

namespace plait::measure {

/// The members that all applications have in common; they add their own.  Rank 0 only.
[[nodiscard]] json result_of(const environment& env, const comparison& what,
                             const session_options& wanted, const measurements& found);

/// Returns what limits a variant, in one sentence.
[[nodiscard]] std::string limiter_of(const measured_variant& one, const measurements& found);

}  // namespace plait::measure
