// SPDX-License-Identifier: BSD-3-Clause
/// Hooks: the work of each wrapper before and after the library's function.  `generate/hooks.py`
/// says which hook stands where.  A hook is made before the call, and its `after` sees the call's
/// result.
#pragma once

#include "attach/calls/call.hpp"
#include "attach/calls/hooks_collective.hpp"
#include "attach/calls/hooks_completion.hpp"
#include "attach/calls/hooks_message.hpp"

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

/// A call that makes something, of which is noted after the call what its handle is.
template <class Handle, auto note, bool may_wait = true>
class made {
 public:
  made(call& here, const Handle* handle) noexcept : handle_(handle) {
    if (may_wait) here.waits();
  }
  void after(int result) {
    if (result == MPI_SUCCESS) note(*handle_);
  }

 private:
  const Handle* handle_;
};

/// A call that gives something up, which is forgotten before the call: once it is over, another
/// thread may have made something with the same handle.
template <class Handle, auto forget, bool may_wait = true>
struct freed {
  freed(call& here, const Handle* handle) noexcept {
    if (may_wait) here.waits();
    forget(*handle);
  }
  void after(int) noexcept {}
};

using made_communicator = made<MPI_Comm, [](MPI_Comm one) { attached.spaces.add(one); }>;
using freed_communicator = freed<MPI_Comm, [](MPI_Comm one) { attached.spaces.remove(one); }>;
using made_operation = made<MPI_Op, [](MPI_Op one) { attached.user_operations.add(one); }, false>;
using freed_operation =
    freed<MPI_Op, [](MPI_Op one) { attached.user_operations.remove(one); }, false>;
/// A window of memory of the program's own, or of the library's for other hosts.  A library may
/// bring other ranks' accesses by messages, which somebody has to take here.
using made_window = made<MPI_Win, [](MPI_Win one) {
  attached.windows.add(one);
  if (attached.progresses) attached.wakes.has_news(true);
}>;
using freed_window = freed<MPI_Win, [](MPI_Win one) { attached.windows.remove(one); }>;

/// An access that a later call on the window completes.
class window_access {
 public:
  template <class Count>
  window_access(call& here, Count count, MPI_Datatype type) noexcept {
    here.moved(bytes_of(count, type));
  }
  void after(int result) noexcept {
    if (result == MPI_SUCCESS && attached.progresses) attached.wakes.has_news(false);
  }
};
struct element_access : window_access {
  element_access(call& here, MPI_Datatype type) noexcept : window_access(here, 1, type) {}
};

/// An access that a request completes.  It has no other end, so it leaves no record.
class started_access {
 public:
  template <class Count>
  started_access(call& here, Count count, MPI_Datatype type, const MPI_Request* request) noexcept
      : here_(here), request_(request) {
    here.moved(bytes_of(count, type));
  }
  void after(int result) {
    if (result != MPI_SUCCESS) return;
    request_data one;
    one.has_peer = false;
    one.is_message = false;
    one.record.post_site = static_cast<std::int16_t>(here_.site());
    one.record.posted = here_.begin();
    one.record.useful_before_post = here_.useful_before();
    note_request(one, *request_, here_, true);
  }

 private:
  call& here_;
  const MPI_Request* request_;
};

}  // namespace plait::attach::hooks
