// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to do a forward transform and `steps` iterations on all ranks.
#pragma once

#include <memory>
#include <string>

#include <plait/plait.hpp>

#include "measure/compare/task_run.hpp"
#include "measure/compare/variant.hpp"
#include "measure/compare/variant_list.hpp"
#include "problem.hpp"

namespace ft {

/// Holds what the command line says beside the problem.
struct options {
  int iterations_in_flight = 1;  ///< that have memory of their own: 1 or 2
  plait::runtime_options runtime = {};
  std::string way = "put";  ///< of `spectral::way_names`: how whole rows travel
  spectral::planning planning = spectral::planning::measured;
};

using variant = plait::measure::variant<problem>;
using variant_list = plait::measure::variant_list<problem>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_library(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
/// These three are of slabs only, and give NPB's checksums but not the bits of base: they transform
/// along x before the transpose.
[[nodiscard]] std::unique_ptr<variant> make_exchange(plait::environment& env,
                                                     const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_slabs(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_pencils(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

}  // namespace ft
