// SPDX-License-Identifier: BSD-3-Clause
/// Hooks of one-sided accesses: what the progress thread has to know of them.
#pragma once

#include "attach/calls/posting.hpp"

namespace plait::attach::hooks {

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
