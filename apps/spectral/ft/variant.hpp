// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to do a forward transform and `steps` iterations on all ranks.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <plait/plait.hpp>

#include "measure/variant.hpp"
#include "problem.hpp"

namespace ft {

/// Holds what the command line says beside the problem.
struct options {
  int iterations_in_flight = 1;  ///< that have memory of their own: 1 or 2
  int workers = 0;               ///< 0 = as many as this process has cores for
  plait::progress policy = plait::progress::automatic;
  std::size_t in_flight = 0;  ///< most tasks in flight; 0 = as many as it takes to replay
};

using variant = plait::measure::variant<problem>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_library(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

inline constexpr std::array<std::string_view, 5> variant_names{"base", "library", "olap", "plait",
                                                               "ideal"};
/// The variant of a name.  Precondition: it is one of `variant_names`.
[[nodiscard]] std::unique_ptr<variant> make_variant(const std::string& name,
                                                    plait::environment& env, const options& chosen);

}  // namespace ft
