// SPDX-License-Identifier: BSD-3-Clause
/// The variants of tasks: a sweep of a few steps, recorded once and replayed.
#pragma once

#include <functional>
#include <memory>

#include "measure/task_variant.hpp"
#include "tasks/sweep.hpp"
#include "variant.hpp"

namespace jacobi3d {

using sweep_maker = std::function<std::unique_ptr<sweep>(problem&)>;

/// A variant that does the steps of such sweeps.
[[nodiscard]] std::unique_ptr<variant> make_task_variant(plait::environment& env,
                                                         const plait::measure::task_options& how,
                                                         sweep_maker make, setting solves);

}  // namespace jacobi3d
