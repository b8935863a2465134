// SPDX-License-Identifier: BSD-3-Clause
/// Hooks of sends, receives, and what prepares and starts them.
#pragma once

#include <algorithm>
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
  if (one.peer >= 0) {
    attached.notes.note_sent(one.peer, one.bytes);
  } else {
    ++attached.notes.header().unmatched_peers;
  }
}

/// One end of a message, posted and completed by one call.  `is_buffered`: the call is over before
/// its message is; the rest is the library's to send, from the program's spare buffer.
class blocking_end {
 public:
  template <class Count>
  blocking_end(call& here, record_kind kind, bool is_buffered, Count count, MPI_Datatype type,
               int peer, int tag, MPI_Comm comm, MPI_Status* status = MPI_STATUS_IGNORE) noexcept
      : here_(here),
        in_(is_nobody(peer) ? nullptr : attached.spaces.find(comm)),
        status_(status),
        is_buffered_(is_buffered) {
    here.waits();
    if (in_ == nullptr) return;
    const bool sends = kind == record_kind::send;
    note_post(record_, here, kind, *in_, peer, tag, sends ? bytes_of(count, type) : 0);
    is_wildcard_ = !sends && (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
    if (is_wildcard_ && attached.locks_books) held_ = attached.spaces.hold(comm);
    counts_later_ = sends && !attached.locks_books;
    if (!counts_later_) count_message(record_, in_, is_wildcard_, here);
  }
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) noexcept {
    if (is_buffered_ && result == MPI_SUCCESS) note_left_behind(here_);
    if (in_ == nullptr) return;
    if (counts_later_) count_message(record_, in_, is_wildcard_, here_);
    if (result != MPI_SUCCESS) return;
    if (record_.kind == record_kind::receive) {
      if (is_wildcard_) note_source(record_, *in_, *status());
      record_.bytes = bytes_received(*status());
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
  wanted_status status_;
  bool is_buffered_;
  bool is_wildcard_ = false;
  /// A short send is under way while it is counted, unless another thread may send in between.
  bool counts_later_ = false;
};

class send_and_receive {
 public:
  template <class Count>
  send_and_receive(call& here, Count send_count, MPI_Datatype send_type, int target, int send_tag,
                   Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Status* status) noexcept
      : send_(here, record_kind::send, false, send_count, send_type, target, send_tag, comm),
        receive_(here, record_kind::receive, false, count, type, source, tag, comm, status) {}
  [[nodiscard]] MPI_Status* status() noexcept { return receive_.status(); }
  void after(int result) noexcept {
    send_.after(result);
    receive_.after(result);
  }

 private:
  blocking_end send_;
  blocking_end receive_;
};

/// A request for one end of a message: Isend, Irecv, and what persistent requests are made of.
class posted_end {
 public:
  template <class Count>
  posted_end(call& here, record_kind kind, bool starts, bool is_buffered, const void* buffer,
             Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Request* request) noexcept
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
/// Those that were not received yet.
[[nodiscard]] inline std::vector<probed_message>& probed_messages() {
  static auto& all = *new std::vector<probed_message>;
  return all;
}
/// Removes a message from the list.
[[nodiscard]] inline probed_message take_probed(MPI_Message handle) noexcept {
  auto& list = probed_messages();
  const auto found = std::ranges::find(list, handle, &probed_message::handle);
  if (found == list.end()) return {};
  const probed_message one = *found;
  list.erase(found);
  return one;
}

class matched_probe {
 public:
  matched_probe(call& here, int source, MPI_Comm comm, MPI_Message* message, MPI_Status* status,
                const int* flag = nullptr) noexcept
      : here_(here), source_(source), comm_(comm), message_(message), status_(status), flag_(flag) {
    here.waits();
  }
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) {
    if (result != MPI_SUCCESS) return;
    if (flag_ != nullptr && *flag_ == 0) return here_.in_vain();
    if (*message_ == constants.message_null) return;
    const MPI_Status& found = *status_.get();
    communicator_data* in = is_nobody(source_) ? nullptr : attached.spaces.find(comm_);
    probed_message one{.handle = *message_, .record = {}};
    if (in != nullptr) {
      note_post(one.record, here_, record_kind::receive, *in, found.MPI_SOURCE, found.MPI_TAG, 0);
      note_source(one.record, *in, found);
      one.has_peer = one.record.peer >= 0;
    }
    probed_messages().push_back(one);
  }

 private:
  call& here_;
  int source_;
  MPI_Comm comm_;
  MPI_Message* message_;
  wanted_status status_;
  const int* flag_;
};

class matched_receive {
 public:
  matched_receive(call& here, const MPI_Message* message, MPI_Status* status) noexcept
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
  started_matched_receive(call& here, const MPI_Message* message, MPI_Request* request) noexcept
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
