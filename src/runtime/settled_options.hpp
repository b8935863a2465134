// SPDX-License-Identifier: BSD-3-Clause
/// Settles what the options of a runtime leave open.
#pragma once

#include <plait/comm/environment.hpp>
#include <plait/runtime/runtime.hpp>

namespace plait {

/// Returns `options` with what environment variables say, the number of workers, and what the
/// engine and the scheduler are told of each other and of the node.  Errors: usage_error for
/// options that contradict each other.  Thread-safe.
[[nodiscard]] runtime_options settled(const environment& env, runtime_options options);

}  // namespace plait
