// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a call that must not be accepted says.
#pragma once

#include <string>

#include <plait/core/error.hpp>

namespace plait::test {

/// Returns what the usage_error of `call` says, or "accepted".
[[nodiscard]] std::string refusal(auto&& call) {
  try {
    call();
  } catch (const usage_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace plait::test
