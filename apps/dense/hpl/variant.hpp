// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to factor and solve the system on all processes.
#pragma once

#include <memory>

#include <plait/plait.hpp>

#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "measure/compare/variant_list.hpp"
#include "system.hpp"

namespace hpl {

/// Holds what the command line says beside the system.
using options = plait::runtime_options;

using variant = plait::measure::variant<linear_system>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base();
[[nodiscard]] std::unique_ptr<variant> make_olap();
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen,
                                                  plait::priority first = plait::high);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

/// The variants by name.  `chosen` outlives the list.
[[nodiscard]] plait::measure::variant_list<linear_system> variants_of(plait::environment& env,
                                                                      const options& chosen);

}  // namespace hpl
