// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to transform a field there and back.
#pragma once

#include <cstdint>
#include <memory>

#include <plait/plait.hpp>

#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "measure/compare/variant_list.hpp"
#include "problem.hpp"

namespace fft3d {

/// Holds what the command line says beside the problem; only tasks need it.
using options = plait::runtime_options;

/// Ways to let the library's collectives progress.
enum class looks : std::uint8_t { none, tests, thread };

using variant = plait::measure::variant<problem>;
using variant_list = plait::measure::variant_list<problem>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_blocking(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_pipeline(plait::environment& env, looks who);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

}  // namespace fft3d
