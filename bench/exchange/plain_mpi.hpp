// SPDX-License-Identifier: BSD-3-Clause
/// An exchange in MPI's own calls.
#pragma once

#include "load.hpp"
#include "measure/rows/open_exchange.hpp"

namespace plait::bench::exchange {

/// Blocks until both messages are through.
void exchange_blocking(environment& env, buffers& data);

}  // namespace plait::bench::exchange
