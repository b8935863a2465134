// SPDX-License-Identifier: BSD-3-Clause
#include "attach/calls/posting.hpp"

#include <algorithm>
#include <utility>

#include "attach/books/verify.hpp"

namespace plait::attach {
namespace {

/// Shorter computation hides less than it costs to wake a thread.  Asked for after the start: the
/// clock is calibrated as it is read only once the constants of its own file have been made.
[[nodiscard]] ticks worth_a_wake() noexcept {
  static const ticks value = seconds_to_ticks(50e-6);
  return value;
}

/// Notes whether the program computed while the operation was in flight, at the place that posted
/// it.
void learn_of_overlap(const request_data& done) noexcept {
  if (!attached.progresses || done.record.post_site < 0) return;
  const bool computed =
      done.record.useful_before_wait - done.record.useful_before_post > worth_a_wake();
  attached.notes.site(done.record.post_site).overlaps = computed ? 1 : 2;
}

/// The library says that a request is complete when it gives it a handle that is not its alone.
void complete_at_post(request_data& one, const call& here) noexcept {
  record_data& of = one.record;
  of.wait_begin = of.wait_end = of.posted;
  of.useful_before_wait = of.useful_before_post;
  of.looked_before_wait = of.looked_before_post;
  of.wait_site = of.post_site;
  if (one.has_peer && (!one.is_message || of.peer >= 0)) attached.notes.add_record(of);
  learn_of_overlap(one);
  note_stopped(one);
  if (one.is_buffered) note_left_behind(here);
  free_type(one);
}

/// Adds to the requests that have the handle of `first`.
void share(request_data& first, request_data& next, const call& here) noexcept {
  if (first.sharers == 0) {
    complete_at_post(first, here);
    first.sharers = 1;
  }
  complete_at_post(next, here);
  ++first.sharers;
}

}  // namespace

/// A handle is a request's alone as long as that is open, or the library could not tell what a wait
/// is for: where it gives the handle again, both requests are complete.  A persistent request is
/// never so; one that still has the handle was freed where nobody saw it.
void note_request(request_data& made, MPI_Request handle, const call& here, bool starts) {
  if (handle == constants.request_null) return complete_at_post(made, here);
  made.handle = handle;
  request_data* same = attached.pending.find(handle);
  if (same != nullptr && (same->is_persistent || made.is_persistent)) {
    forget_request(*std::exchange(same, nullptr));
  }
  if (same != nullptr) return share(*same, made, here);
  request_data& kept = attached.pending.add(made);
  if (starts) note_started(kept);
}

void note_if_shared(request_data& one, const call& here) noexcept {
  one.is_kept = true;
  request_data* other = attached.pending.find(one.handle);
  one.is_kept = false;
  if (other == nullptr) return;
  share(*other, one, here);
  forget_request(one);
}

void forget_request(request_data& one) noexcept {
  note_stopped(one);
  free_type(one);
  attached.pending.remove(one);
}

void note_started(request_data& one) noexcept {
  if (one.is_started) return;
  attached.pending.start(one);
  if (!attached.progresses) return;
  const bool is_known_short =
      one.record.post_site >= 0 && attached.notes.site(one.record.post_site).overlaps == 2;
  attached.wakes.posted(!is_known_short);
}

void note_stopped(request_data& one) noexcept {
  if (!one.is_started) return;
  attached.pending.stop(one);
  if (attached.progresses) attached.wakes.completed();
}

std::uint64_t bytes_received(const MPI_Status& status) noexcept {
#if defined(OPEN_MPI)
  return status._ucount;
#elif defined(MPI_ABI_VERSION)
  // What is where in a status is the library's own affair.
  MPI_Count count = 0;
  PLAIT_REAL(MPI_Get_count_c)(&status, constants.byte, &count);
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
#else
  const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1U;
  return (std::uint64_t{high} << 32U) | static_cast<std::uint32_t>(status.count_lo);
#endif
}

void note_post(record_data& to, const call& here, record_kind kind, const communicator_data& in,
               int peer, int tag, std::uint64_t bytes) noexcept {
  to.kind = kind;
  to.communicator = in.id;
  to.bytes = bytes;
  to.tag = tag;
  to.peer = in.world_rank(peer);
  to.order = attached.notes.header().orders++;
  to.posted = here.begin();
  to.useful_before_post = here.useful_before();
  to.looked_before_post = attached.looked();
  to.post_site = static_cast<std::int16_t>(here.site());
}

void note_wait(record_data& to, const call& here) noexcept {
  to.wait_begin = here.begin();
  to.wait_end = here.end();
  // Another thread may have posted it, and have computed for longer or shorter until then.
  to.useful_before_wait =
      std::clamp(here.useful_before(), to.useful_before_post,
                 to.useful_before_post + std::max<ticks>(0, here.begin() - to.posted));
  to.looked_before_wait = attached.looked();
  to.wait_site = static_cast<std::int16_t>(here.site());
  to.has_waited = here.is_waiting() ? 1 : 0;
  to.is_blocking = to.posted == to.wait_begin ? 1 : 0;
}

void note_source(record_data& to, const communicator_data& in, const MPI_Status& status) noexcept {
  to.peer = in.world_rank(status.MPI_SOURCE);
  to.tag = status.MPI_TAG;
  if (to.peer >= 0) to.place = attached.spaces.next_place(in, false, to.peer, to.tag);
}

void note_completion(request_data& done, call& here, const MPI_Status* status) noexcept {
  if (done.sharers > 0) {
    if (--done.sharers == 0) attached.pending.remove(done);
    return;
  }
  bool has_record = done.has_peer;
  if (done.is_cancelled && status != nullptr) {
    int was_cancelled = 0;
    PLAIT_REAL(MPI_Test_cancelled)(status, &was_cancelled);
    has_record = has_record && was_cancelled == 0;
  }
  if (has_record && done.is_wildcard) {
    if (status != nullptr && done.in != nullptr && !is_nobody(status->MPI_SOURCE)) {
      note_source(done.record, *done.in, *status);
    }
  }
  if (attached.verifies) verify_at_wait(done, here);
  note_wait(done.record, here);
  if (has_record && status != nullptr && done.record.kind == record_kind::receive) {
    done.record.bytes = bytes_received(*status);
    attached.notes.site(done.record.post_site).bytes += done.record.bytes;
  }
  const bool is_message = done.is_message;
  if (has_record && (!is_message || done.record.peer >= 0)) attached.notes.add_record(done.record);
  learn_of_overlap(done);
  note_stopped(done);
  if (done.is_buffered) note_left_behind(here);
  if (!done.is_persistent) forget_request(done);
}

void note_left_behind(const call& here) noexcept {
  if (attached.progresses) attached.wakes.left_behind(here.end() + seconds_to_ticks(1.0));
}

}  // namespace plait::attach
