// SPDX-License-Identifier: BSD-3-Clause
/// Hooks of sends, receives, and what prepares and starts them.
#pragma once

#include <vector>

#include "attach/books/verify.hpp"
#include "attach/calls/posting.hpp"

namespace plait::attach::hooks {

/// Stands in for a status that the program does not want.
class wanted_status {
 public:
  explicit wanted_status(MPI_Status* users) noexcept : users_(users) {}
  [[nodiscard]] MPI_Status* get() noexcept { return users_ == MPI_STATUS_IGNORE ? &own_ : users_; }

 private:
  MPI_Status* users_;
  MPI_Status own_{};
};

/// Gives a message its place among its kind, and counts a send in the matrix of messages.  `in` may
/// be null, of a communicator that is not known any more.
inline void count_message(record_data& one, const communicator_data* in, bool is_wildcard,
                          call& here) noexcept {
  const bool sends = one.kind == record_kind::send;
  if (in != nullptr && !is_wildcard && one.peer >= 0) {
    one.place = attached.spaces.next_place(*in, sends, one.peer, one.tag);
  }
  if (!sends) return;
  here.moved(one.bytes);
  note_sent(one);
}

/// One end of a message, posted and completed by one call.
class blocking_end {
 public:
  template <class Count>
  blocking_end(call& here, record_kind kind, Count count, MPI_Datatype type, int peer, int tag,
               MPI_Comm comm) noexcept
      : here_(here), in_(is_nobody(peer) ? nullptr : attached.spaces.find(comm)) {
    if (in_ == nullptr) return;
    const bool sends = kind == record_kind::send;
    note_post(record_, here, kind, *in_, peer, tag, sends ? bytes_of(count, type) : 0);
    is_wildcard_ = !sends && (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
    if (is_wildcard_ && attached.locks_books) held_ = attached.spaces.hold(comm);
    counts_later_ = sends && !attached.locks_books;
    if (!counts_later_) count_message(record_, in_, is_wildcard_, here);
  }
  void after(int result, const MPI_Status* status) noexcept {
    if (in_ == nullptr) return;
    if (counts_later_) count_message(record_, in_, is_wildcard_, here_);
    if (result != MPI_SUCCESS) return;
    if (status != nullptr) {
      if (is_wildcard_) note_source(record_, *in_, *status);
      record_.bytes = bytes_received(*status);
      here_.moved(record_.bytes);
    }
    note_wait(record_, here_);
    if (record_.peer >= 0) attached.notes.add_record(record_);
  }

 private:
  call& here_;
  communicator_data* in_;
  std::shared_ptr<communicator_data> held_;  ///< another thread may free the communicator meanwhile
  record_data record_;
  bool is_wildcard_ = false;
  /// A short send is under way while it is counted, unless another thread may send in between.
  bool counts_later_ = false;
};

class blocking_send {
 public:
  template <class Count>
  blocking_send(call& here, Count count, MPI_Datatype type, int peer, int tag,
                MPI_Comm comm) noexcept
      : end_(here, record_kind::send, count, type, peer, tag, comm) {
    here.waits();
  }
  void after(int result) noexcept { end_.after(result, nullptr); }

 private:
  blocking_end end_;
};

/// Over before its message is: the rest is the library's to send, from the program's spare buffer.
class buffered_send : public blocking_send {
 public:
  template <class Count>
  buffered_send(call& here, Count count, MPI_Datatype type, int peer, int tag,
                MPI_Comm comm) noexcept
      : blocking_send(here, count, type, peer, tag, comm), here_(here) {}
  void after(int result) noexcept {
    blocking_send::after(result);
    if (result == MPI_SUCCESS) note_left_behind(here_);
  }

 private:
  call& here_;
};

class blocking_receive {
 public:
  template <class Count>
  blocking_receive(call& here, Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Status* status) noexcept
      : status_(status), end_(here, record_kind::receive, count, type, peer, tag, comm) {
    here.waits();
  }
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) noexcept { end_.after(result, status_.get()); }

 private:
  wanted_status status_;
  blocking_end end_;
};

class send_and_receive {
 public:
  template <class Count>
  send_and_receive(call& here, Count send_count, MPI_Datatype send_type, int target, int send_tag,
                   Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Status* status) noexcept
      : status_(status),
        send_(here, record_kind::send, send_count, send_type, target, send_tag, comm),
        receive_(here, record_kind::receive, count, type, source, tag, comm) {
    here.waits();
  }
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) noexcept {
    send_.after(result, nullptr);
    receive_.after(result, status_.get());
  }

 private:
  wanted_status status_;
  blocking_end send_;
  blocking_end receive_;
};

/// A request for one end of a message: Isend, Irecv, and what persistent requests are made of.
class posted_end {
 public:
  template <class Count>
  posted_end(call& here, record_kind kind, const void* buffer, Count count, MPI_Datatype type,
             int peer, int tag, MPI_Comm comm, MPI_Request* request, bool starts,
             bool is_buffered = false) noexcept
      : here_(here), request_(request), starts_(starts) {
    made_.is_buffered = is_buffered;
    made_.buffer = buffer;
    made_.count = static_cast<std::uint64_t>(count);
    made_.type = type;
    made_.is_persistent = !starts;
    communicator_data* in = is_nobody(peer) ? nullptr : attached.spaces.find(comm);
    made_.has_peer = in != nullptr;
    made_.record.kind = kind;
    const bool sends = kind == record_kind::send;
    if (in != nullptr) {
      note_post(made_.record, here, kind, *in, peer, tag, sends ? bytes_of(count, type) : 0);
    }
    made_.is_wildcard = !sends && (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
    if (made_.is_wildcard || !starts) made_.in = attached.spaces.hold(comm);
    if (sends && attached.verifies) keep_type(made_);
    if (starts) note_start(made_, in, here);
  }
  void after(int result) {
    if (result != MPI_SUCCESS) return free_type(made_);
    if (starts_ && made_.has_peer && made_.record.kind == record_kind::send && attached.verifies) {
      give_own_handle(*request_);
    }
    note_request(made_, *request_, here_, starts_);
  }
  /// Counts the message, and notes what a send's buffer holds.
  static void note_start(request_data& one, const communicator_data* in, call& here) noexcept {
    if (!one.has_peer) return;
    count_message(one.record, in, one.is_wildcard, here);
    one.is_checked = false;
    if (attached.verifies && one.record.kind == record_kind::send) one.checksum = checksum_of(one);
  }

 private:
  call& here_;
  MPI_Request* request_;
  bool starts_;
  request_data made_;
};

template <bool starts, bool buffered>
struct posted_send : posted_end {
  template <class Count>
  posted_send(call& here, const void* buffer, Count count, MPI_Datatype type, int peer, int tag,
              MPI_Comm comm, MPI_Request* request) noexcept
      : posted_end(here, record_kind::send, buffer, count, type, peer, tag, comm, request, starts,
                   buffered) {}
};
template <bool starts>
struct posted_receive : posted_end {
  template <class Count>
  posted_receive(call& here, Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                 MPI_Request* request) noexcept
      : posted_end(here, record_kind::receive, nullptr, count, type, peer, tag, comm, request,
                   starts) {}
};
using started_send = posted_send<true, false>;
using started_buffered_send = posted_send<true, true>;
using started_receive = posted_receive<true>;
using prepared_send = posted_send<false, false>;
using prepared_buffered_send = posted_send<false, true>;
using prepared_receive = posted_receive<false>;

/// Starts persistent requests.  Those of other kinds (partitioned messages) are not known.
class start_all {
 public:
  start_all(call& here, int count, MPI_Request* handles) noexcept : here_(here) {
    for (int i = 0; i < count; ++i) {
      request_data* one = attached.pending.find(handles[i]);
      if (one == nullptr || !one->is_persistent) continue;
      one->record.posted = here.begin();
      one->record.useful_before_post = here.useful_before();
      one->record.looked_before_post = attached.looked();
      one->record.post_site = static_cast<std::int16_t>(here.site());
      one->record.order = attached.notes.header().orders++;
      posted_end::note_start(*one, one->in.get(), here);
      started_.push_back(one);
    }
  }
  void after(int result) noexcept {
    if (result != MPI_SUCCESS) return;
    for (request_data* one : started_) note_started(*one);
  }

 private:
  call& here_;
  std::vector<request_data*> started_;
};
struct start : start_all {
  start(call& here, MPI_Request* handle) noexcept : start_all(here, 1, handle) {}
};

/// A message that a matched probe took out of matching.
struct probed_message {
  MPI_Message handle = {};
  record_data record;
  bool has_peer = false;
};
void add_probed(const probed_message& one);
/// Removes it from the list.
[[nodiscard]] probed_message take_probed(MPI_Message handle) noexcept;

class matched_probe {
 public:
  matched_probe(call& here, int source, int, MPI_Comm comm, MPI_Message* message,
                MPI_Status* status) noexcept
      : here_(here), source_(source), comm_(comm), message_(message), status_(status) {
    here.waits();
  }
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) {
    if (result != MPI_SUCCESS || *message_ == constants.message_null) return;
    const MPI_Status& found = *status_.get();
    communicator_data* in = is_nobody(source_) ? nullptr : attached.spaces.find(comm_);
    probed_message one{.handle = *message_, .record = {}};
    if (in != nullptr) {
      note_post(one.record, here_, record_kind::receive, *in, found.MPI_SOURCE, found.MPI_TAG, 0);
      note_source(one.record, *in, found);
      one.has_peer = one.record.peer >= 0;
    }
    add_probed(one);
  }

 private:
  call& here_;
  int source_;
  MPI_Comm comm_;
  MPI_Message* message_;
  wanted_status status_;
};

class matched_probe_now {
 public:
  matched_probe_now(call& here, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                    MPI_Status* status) noexcept
      : here_(here), flag_(flag), probe_(here, source, tag, comm, message, status) {}
  [[nodiscard]] MPI_Status* status() noexcept { return probe_.status(); }
  void after(int result) {
    if (result != MPI_SUCCESS) return;
    if (*flag_ != 0) {
      probe_.after(result);
    } else {
      here_.in_vain();
    }
  }

 private:
  call& here_;
  int* flag_;
  matched_probe probe_;
};

class matched_receive {
 public:
  template <class Count>
  matched_receive(call& here, Count, MPI_Datatype, MPI_Message* message,
                  MPI_Status* status) noexcept
      : here_(here), status_(status), one_(take_probed(*message)) {
    here.waits();
    one_.record.post_site = static_cast<std::int16_t>(here.site());
  }
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) noexcept {
    if (result != MPI_SUCCESS || !one_.has_peer) return;
    one_.record.bytes = bytes_received(*status_.get());
    here_.moved(one_.record.bytes);
    one_.record.posted = here_.begin();
    note_wait(one_.record, here_);
    attached.notes.add_record(one_.record);
  }

 private:
  call& here_;
  wanted_status status_;
  probed_message one_;
};

class started_matched_receive {
 public:
  template <class Count>
  started_matched_receive(call& here, Count, MPI_Datatype, MPI_Message* message,
                          MPI_Request* request) noexcept
      : here_(here), request_(request), one_(take_probed(*message)) {
    one_.record.post_site = static_cast<std::int16_t>(here.site());
  }
  void after(int result) {
    if (result != MPI_SUCCESS) return;
    request_data made;
    made.record = one_.record;
    made.record.kind = record_kind::receive;
    made.has_peer = one_.has_peer;
    note_request(made, *request_, here_, true);
  }

 private:
  call& here_;
  MPI_Request* request_;
  probed_message one_;
};

}  // namespace plait::attach::hooks
