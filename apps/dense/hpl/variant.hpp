// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to factor and solve the system on all processes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <plait/plait.hpp>

#include "measure/variant.hpp"
#include "system.hpp"

namespace hpl {

/// Holds what the command line says beside the system.
struct options {
  int workers = 0;  ///< 0 = as many as this process has cores for
  plait::progress policy = plait::progress::automatic;
  std::size_t in_flight = 4096;  ///< most tasks in flight
};

using variant = plait::measure::variant<linear_system>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_base();
[[nodiscard]] std::unique_ptr<variant> make_olap();
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

inline constexpr std::array<std::string_view, 4> variant_names{"base", "olap", "plait", "ideal"};
/// The variant of a name.  Precondition: it is one of `variant_names`.
[[nodiscard]] std::unique_ptr<variant> make_variant(const std::string& name,
                                                    plait::environment& env, const options& chosen);

}  // namespace hpl
