// SPDX-License-Identifier: BSD-3-Clause
/// Hooks: the work of each wrapper before and after the library's function.  `generate/hooks.py`
/// says which hook stands where.  A hook is made before the call, and its `after` sees the call's
/// result.
#pragma once

#include "attach/call.hpp"
#include "attach/hooks_collective.hpp"
#include "attach/hooks_completion.hpp"
#include "attach/hooks_message.hpp"
#include "attach/hooks_window.hpp"

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

class freed_communicator {
 public:
  freed_communicator(call& here, MPI_Comm* handle) noexcept : freed_(*handle) { here.waits(); }
  void after(int result) noexcept {
    if (result == MPI_SUCCESS) attached.spaces.remove(freed_);
  }

 private:
  MPI_Comm freed_;
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

class freed_operation {
 public:
  freed_operation(call&, MPI_Op* handle) noexcept : freed_(*handle) {}
  void after(int result) noexcept {
    if (result == MPI_SUCCESS) forget_user_operation(freed_);
  }

 private:
  MPI_Op freed_;
};

}  // namespace plait::attach::hooks
