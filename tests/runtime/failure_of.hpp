// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

namespace plait::test {

/// Returns the text of the error that `wait` throws.
[[nodiscard]] inline std::string failure_of(runtime& rt) {
  try {
    rt.wait();
  } catch (const error& e) {
    return e.what();
  }
  return "no failure";
}

/// Returns the text of the error that a call ends with.
[[nodiscard]] inline std::string error_of(const auto& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace plait::test
