// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to do `steps` updates on all ranks.
#pragma once

#include <memory>

#include <plait/plait.hpp>

#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "measure/compare/variant_list.hpp"
#include "problem.hpp"

namespace osem {

using variant = plait::measure::variant<problem>;
using variant_list = plait::measure::variant_list<problem>;
using plait::runtime_options;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_iallreduce(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env,
                                                  const runtime_options& how);
[[nodiscard]] std::unique_ptr<variant> make_ideal(plait::environment& env);

}  // namespace osem
