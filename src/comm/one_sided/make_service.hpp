// SPDX-License-Identifier: BSD-3-Clause
/// Decides what a window runs on, and makes that.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include <mpi.h>
#include <plait/comm/served_window.hpp>
#include <plait/comm/windows_on.hpp>

#include "comm/one_sided/rma_window.hpp"

namespace plait {

struct made_service {
  std::unique_ptr<one_sided_service> service;
  window_choice choice = {};
  std::byte* begin = nullptr;                   ///< of this rank's memory
  std::shared_ptr<std::byte> memory = nullptr;  ///< that was allocated for it
};

/// `comm`: the window's own.  `memory.is_mpis`: the window's own, which is zero then.  Collective;
/// blocks, so all ranks should be known to be about to call it.  Holder of the token.  Errors:
/// `error` on all ranks where `wanted` is `rma` and cannot be had.  MPI errors.
[[nodiscard]] made_service make_service(MPI_Comm comm, const rma_memory& memory, int flags,
                                        windows_on wanted);

}  // namespace plait
