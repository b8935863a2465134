// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to do `steps` products on all ranks.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <plait/plait.hpp>

#include "measure/variant.hpp"
#include "problem.hpp"

namespace spmv {

/// Holds what the command line says beside the problem; only tasks need it.
struct options {
  int workers = 0;  ///< 0 = as many as this process has cores for
  plait::progress policy = plait::progress::automatic;
};

using variant = plait::measure::variant<problem>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_olap(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal(plait::environment& env);

inline constexpr std::array<std::string_view, 4> variant_names{"base", "olap", "plait", "ideal"};
/// The variant of a name.  Precondition: it is one of `variant_names`.
[[nodiscard]] std::unique_ptr<variant> make_variant(const std::string& name,
                                                    plait::environment& env, const options& chosen);

}  // namespace spmv
