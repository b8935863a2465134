// SPDX-License-Identifier: BSD-3-Clause
/// The results that all variants must leave behind.
#pragma once

#include <plait/plait.hpp>

#include "variant.hpp"

namespace spmv {

/// Runs base and computation alone, keeps in `p` what others must give, and judges base.  The last
/// product is held against one that follows from a step less.  `p` then holds what base leaves
/// behind.  Collective.  Errors: usage_error where conjugate gradients have met a matrix that is
/// not positive definite.
[[nodiscard]] verdict make_reference(plait::environment& env, problem& p, int steps);

}  // namespace spmv
