// SPDX-License-Identifier: BSD-3-Clause
/// Hooks of one-sided communication: what the progress thread has to know of it.
#pragma once

#include "attach/calls/posting.hpp"

namespace plait::attach::hooks {

/// A window of memory of the program's own, or of the library's for other hosts.  A library may
/// bring other ranks' accesses by messages, which somebody has to take here.
class made_window {
 public:
  made_window(call& here, const MPI_Win* made) noexcept : made_(made) { here.waits(); }
  void after(int result) {
    if (result == MPI_SUCCESS) note_window(*made_);
  }

 private:
  const MPI_Win* made_;
};

/// Forgotten before the call: once it is over, another thread may have made a window with the same
/// handle.
struct freed_window {
  freed_window(call& here, const MPI_Win* handle) noexcept {
    here.waits();
    forget_window(*handle);
  }
  void after(int) noexcept {}
};

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
