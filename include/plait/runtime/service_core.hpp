// SPDX-License-Identifier: BSD-3-Clause
/// Says whether a rank gives one of its processors to communication.
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace plait {

/// Says whether a worker's core is given up for a thread that serves messages all the time, Thyme's
/// service CPU.
enum class service_core : std::uint8_t {
  never,
  where_it_pays,  ///< where the model says so of a step that was measured (runtime_options::step)
  always,
};
/// Names of these on command lines.
inline constexpr std::array<std::string_view, 3> service_core_names{"never", "auto", "always"};

}  // namespace plait
