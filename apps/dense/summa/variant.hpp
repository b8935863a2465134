// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to compute one product on all processes.
#pragma once

#include <memory>

#include <plait/plait.hpp>

#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "measure/compare/variant_list.hpp"
#include "problem.hpp"

namespace summa {

/// Holds what the command line says beside the problem.
struct options {
  int buffers = 3;  ///< panels of each kind that may be under way, of `plait`
  plait::runtime_options runtime = {};
};

using variant = plait::measure::variant<problem>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base();
[[nodiscard]] std::unique_ptr<variant> make_olap();
[[nodiscard]] std::unique_ptr<variant> make_split();
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

/// The variants by name.  `chosen` outlives the list.
[[nodiscard]] plait::measure::variant_list<problem> variants_of(plait::environment& env,
                                                                const options& chosen);

}  // namespace summa
