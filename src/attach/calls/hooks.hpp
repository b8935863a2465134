// SPDX-License-Identifier: BSD-3-Clause
/// Hooks: the work of each wrapper before and after the library's function.  `generate/hooks.py`
/// says which hook stands where.  A hook is made before the call, and its `after` sees the call's
/// result.
#pragma once

#include "attach/calls/call.hpp"
#include "attach/calls/hooks_collective.hpp"
#include "attach/calls/hooks_completion.hpp"
#include "attach/calls/hooks_message.hpp"
#include "attach/calls/hooks_window.hpp"

#define PLAIT_EXPORTED __attribute__((visibility("default")))

namespace plait::attach::hooks {

/// A call that neither waits nor moves messages.
struct plain {
  explicit plain(call&) noexcept {}
  void after(int) noexcept {}
};

/// A call that may wait for other ranks.
struct waiting {
  explicit waiting(call& here) noexcept { here.waits(); }
  void after(int) noexcept {}
};

class made_communicator {
 public:
  made_communicator(call& here, MPI_Comm* made) noexcept : made_(made) { here.waits(); }
  void after(int result) {
    if (result == MPI_SUCCESS) attached.spaces.add(*made_);
  }

 private:
  MPI_Comm* made_;
};

/// Forgotten before the call: once it is over, another thread may have made a communicator with the
/// same handle.
struct freed_communicator {
  freed_communicator(call& here, const MPI_Comm* handle) noexcept {
    here.waits();
    attached.spaces.remove(*handle);
  }
  void after(int) noexcept {}
};

class made_operation {
 public:
  made_operation(call&, MPI_Op* made) noexcept : made_(made) {}
  void after(int result) {
    if (result == MPI_SUCCESS) note_user_operation(*made_);
  }

 private:
  MPI_Op* made_;
};

/// Forgotten before the call, as a communicator is.
struct freed_operation {
  freed_operation(call&, const MPI_Op* handle) noexcept { forget_user_operation(*handle); }
  void after(int) noexcept {}
};

}  // namespace plait::attach::hooks
