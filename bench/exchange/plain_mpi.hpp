// SPDX-License-Identifier: BSD-3-Clause
/// An exchange in MPI's own calls.
#pragma once

#include "load.hpp"
#include "open_exchange.hpp"

namespace plait::bench {

/// Blocks until both messages are through.
void exchange_blocking(environment& env, buffers& data);

}  // namespace plait::bench
