// SPDX-License-Identifier: BSD-3-Clause
#include "attach/progress/looks.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "attach/books/verify.hpp"
#include "attach/calls/call.hpp"

namespace plait::attach {

looks::looks(bool takes_token) : takes_token_(takes_token) {
  start_own_request(own_request_);
}

looks::~looks() {
  PLAIT_REAL(MPI_Grequest_complete)(own_request_);
  PLAIT_REAL(MPI_Wait)(&own_request_, MPI_STATUS_IGNORE);
}

bool looks::program_is_inside() const noexcept {
  return takes_token_ && attached.token.is_taken();
}

bool looks::look() noexcept {
  if (takes_token_ && !attached.token.try_look()) {
    last_ = now_ticks();
    return false;
  }
  const ticks begin = now_ticks();
  const bool may_run_users_code =
      takes_token_ ? attached.pending.user_operations() > 0 : attached.user_operations.count() > 0;
  bool completed = false;
  if (!may_run_users_code && takes_token_) completed = look_at_programs();
  if (!may_run_users_code && !takes_token_) look_at_own();
  if (!may_run_users_code) note_time_looked_after(now_ticks());
  if (takes_token_) attached.token.looked();
  last_ = now_ticks();
  profile_header& h = attached.notes.header();
  ++h.looks;
  if (completed) completed_at_ = last_;
  h.look_s += static_cast<double>(last_ - begin) * h.seconds_per_tick;
  return true;
}

/// Counts the time since the program's last call or the last look: what has moved in it has moved
/// by looks, or by itself.
void looks::note_time_looked_after(ticks until) noexcept {
  const ticks since =
      std::max(std::exchange(looked_after_until_, until), attached.wakes.last_inside());
  if (until <= since) return;
  std::atomic_ref(attached.notes.header().looked)
      .fetch_add(until - since, std::memory_order_relaxed);
}

/// Looks at the oldest request that is not complete: its turn comes first in most libraries.
bool looks::look_at_programs() noexcept {
  bool completed = false;
  bool is_driven = false;
  request_data* one = attached.pending.oldest();
  while (one != nullptr) {
    if (!one->is_complete) {
      int flag = 0;
      PLAIT_REAL(MPI_Request_get_status)(one->handle, &flag, MPI_STATUS_IGNORE);
      is_driven = true;
      if (flag == 0) break;
      one->is_complete = true;
      completed = true;
    }
    one = one->newer;
  }
  all_complete_ = one == nullptr;
  may_have_rounds_ = one != nullptr && !one->is_message;
  if (!is_driven) look_at_own();
  return completed;
}

void looks::look_at_own() noexcept {
  int flag = 0;
  PLAIT_REAL(MPI_Request_get_status)(own_request_, &flag, MPI_STATUS_IGNORE);
}

}  // namespace plait::attach
