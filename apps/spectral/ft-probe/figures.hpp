// SPDX-License-Identifier: BSD-3-Clause
/// The session as the paper's figures draw it, and what follows from it in sentences.
#pragma once

#include "measure/gather.hpp"

namespace ft_probe {

/// Returns {"title", "parts", "groups"} of each figure.  `rows`: the result's, by way and algorithm,
/// then by circumstance.
[[nodiscard]] plait::measure::json figures_of(const plait::measure::json& rows);

/// Returns what is best, what the model errs by, and what overlap does to computation.
[[nodiscard]] plait::measure::json sentences_of(const plait::measure::json& rows);

}  // namespace ft_probe
