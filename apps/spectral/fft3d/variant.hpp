// SPDX-License-Identifier: BSD-3-Clause
/// The variants: ways to transform a field there and back.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <plait/plait.hpp>

#include "measure/variant.hpp"
#include "problem.hpp"

namespace fft3d {

/// Holds what the command line says beside the problem; only tasks need it.
struct options {
  int workers = 0;  ///< 0 = as many as this process has cores for
  plait::progress policy = plait::progress::automatic;
};

/// Who lets the library's collectives progress.
enum class looks : std::uint8_t { none, tests, thread };

using variant = plait::measure::variant<problem>;
using plait::measure::run_report;
using plait::measure::step_range;

[[nodiscard]] std::unique_ptr<variant> make_blocking(plait::environment& env);
[[nodiscard]] std::unique_ptr<variant> make_pipeline(plait::environment& env, looks who);
[[nodiscard]] std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen);
[[nodiscard]] std::unique_ptr<variant> make_ideal();

inline constexpr std::array<std::string_view, 6> variant_names{"blocking", "library", "tested",
                                                               "threaded", "plait",   "ideal"};
/// The variant of a name.  Precondition: it is one of `variant_names`.
[[nodiscard]] std::unique_ptr<variant> make_variant(const std::string& name,
                                                    plait::environment& env, const options& chosen);

}  // namespace fft3d
