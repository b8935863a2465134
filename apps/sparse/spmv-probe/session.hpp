// SPDX-License-Identifier: BSD-3-Clause
/// One session: the bars that are asked for in turns, matrix after matrix, and what equations 10 to
/// 13 say of the same job.
#pragma once

#include <plait/plait.hpp>

#include "plan.hpp"

namespace spmv_probe {

/// Runs the session.  What is wrong with a product is printed on standard error.  Collective.
[[nodiscard]] plait::measure::outcome measure(plait::environment& env, const command& given,
                                              const plan& wanted);

}  // namespace spmv_probe
