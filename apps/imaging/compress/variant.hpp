// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to compress a file on all ranks.
#pragma once

#include <memory>

#include <plait/plait.hpp>

#include "archive.hpp"
#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "measure/compare/variant_list.hpp"

namespace compress {

using plait::runtime_options;
using variant = plait::measure::variant<archive>;
using variant_list = plait::measure::variant_list<archive>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env,
                                                  const runtime_options& how);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

}  // namespace compress
