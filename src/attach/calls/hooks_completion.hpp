// SPDX-License-Identifier: BSD-3-Clause
/// Hooks of the calls that complete requests.  The handles are kept before the call, which sets
/// them to null.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "attach/calls/hooks_message.hpp"
#include "attach/calls/posting.hpp"

namespace plait::attach::hooks {

/// The entry of a request that a call may complete.  Where several threads call MPI at once, the
/// library may give the handle of a request that is complete to another thread's request, before
/// the books know of either.  So there the entry is found before the call, and kept from other
/// threads; not one of requests that share a handle, of which any will do.
class kept_entry {
 public:
  kept_entry(const call& here, MPI_Request handle) noexcept : here_(here), handle_(handle) {
    if (!attached.locks_books) return;
    request_data* found = find();
    is_shared_ = found != nullptr && found->sharers > 0;
    if (found == nullptr || is_shared_) return;
    entry_ = found;
    entry_->is_kept = true;
  }
  ~kept_entry() {
    if (entry_ != nullptr) note_if_shared(*entry_, here_);
  }
  kept_entry(const kept_entry&) = delete;
  kept_entry& operator=(const kept_entry&) = delete;

  /// After the call; once.  Null where nothing is known of the request.
  [[nodiscard]] request_data* take() noexcept {
    if (!attached.locks_books || is_shared_) return find();
    if (entry_ != nullptr) entry_->is_kept = false;
    return std::exchange(entry_, nullptr);
  }

 private:
  [[nodiscard]] request_data* find() const noexcept {
    return handle_ == constants.request_null ? nullptr : attached.pending.find(handle_);
  }

  const call& here_;
  MPI_Request handle_;
  request_data* entry_ = nullptr;
  bool is_shared_ = false;
};

inline void complete_entry(request_data* done, const MPI_Status* status, call& here) noexcept {
  if (done != nullptr && (done->is_started || !done->is_persistent)) {
    note_completion(*done, here, status);
  }
}

/// Waits for one request, or tests it and sets `flag`.
class one_request {
 public:
  one_request(call& here, const MPI_Request* request, MPI_Status* status,
              const int* flag = nullptr) noexcept
      : here_(here), request_(request), status_(status), flag_(flag), entry_(here, *request) {
    if (flag == nullptr) here.waits();
  }
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) noexcept {
    if (result == MPI_SUCCESS && flag_ != nullptr && *flag_ == 0) return here_.in_vain();
    // A call that fails has completed the requests that it set to null.
    if (result != MPI_SUCCESS && *request_ != constants.request_null) return;
    complete_entry(entry_.take(), status_.get(), here_);
  }

 private:
  call& here_;
  const MPI_Request* request_;
  wanted_status status_;
  const int* flag_;
  kept_entry entry_;
};

/// Memory that the calls of a thread use in turn.
struct completion_memory {
  std::vector<MPI_Request> handles;
  std::vector<MPI_Status> statuses;
  std::deque<kept_entry> entries;  ///< of each handle, where several threads call MPI at once
};
[[nodiscard]] inline completion_memory& own_memory() noexcept {
  static thread_local completion_memory memory;
  return memory;
}

/// Several requests that a call waits for, or tests and sets `flag`.
class many {
 public:
  many(call& here, int count, const MPI_Request* requests, MPI_Status* statuses, const int* flag)
      : here_(here), memory_(own_memory()), requests_(requests), users_(statuses), flag_(flag) {
    if (flag == nullptr) here.waits();
    const auto size = static_cast<std::size_t>(count > 0 ? count : 0);
    memory_.handles.assign(requests, requests + size);
    if (statuses == MPI_STATUSES_IGNORE) memory_.statuses.resize(size + 1);
    if (!attached.locks_books) return;
    for (const MPI_Request handle : memory_.handles) memory_.entries.emplace_back(here, handle);
  }
  ~many() { memory_.entries.clear(); }
  many(const many&) = delete;
  many& operator=(const many&) = delete;
  [[nodiscard]] MPI_Status* statuses() noexcept {
    return users_ == MPI_STATUSES_IGNORE ? memory_.statuses.data() : users_;
  }

 protected:
  /// By the place of its handle, and of its status in a list of statuses.
  void complete(std::size_t at, const MPI_Status* status) noexcept {
    complete_entry(memory_.entries.empty() ? kept_entry(here_, memory_.handles[at]).take()
                                           : memory_.entries[at].take(),
                   status, here_);
  }
  /// Returns true if the call has completed what it says.  A call that fails has completed the
  /// requests that it set to null.
  [[nodiscard]] bool has_completed(int result) noexcept {
    for (std::size_t i = 0; result != MPI_SUCCESS && i < size(); ++i) {
      if (requests_[i] == constants.request_null) complete(i, nullptr);
    }
    const bool is_in_vain = result == MPI_SUCCESS && flag_ != nullptr && *flag_ == 0;
    if (is_in_vain) here_.in_vain();
    return result == MPI_SUCCESS && !is_in_vain;
  }
  [[nodiscard]] std::size_t size() const noexcept { return memory_.handles.size(); }

 private:
  call& here_;
  completion_memory& memory_;
  const MPI_Request* requests_;
  MPI_Status* users_;
  const int* flag_;
};

struct all_requests : many {
  all_requests(call& here, int count, const MPI_Request* requests, MPI_Status* statuses,
               const int* flag = nullptr)
      : many(here, count, requests, statuses, flag) {}
  void after(int result) noexcept {
    if (!has_completed(result)) return;
    for (std::size_t i = 0; i < size(); ++i) complete(i, statuses() + i);
  }
};

/// `done`: how many.  Negative where there was no request.
class some_requests : public many {
 public:
  some_requests(call& here, int count, const MPI_Request* requests, const int* done,
                const int* places, MPI_Status* statuses, const int* flag = nullptr)
      : many(here, count, requests, statuses, flag), done_(done), places_(places) {}
  void after(int result) noexcept {
    if (!has_completed(result)) return;
    for (int i = 0; i < *done_; ++i) complete(static_cast<std::size_t>(places_[i]), statuses() + i);
  }

 private:
  const int* done_;
  const int* places_;
};

class any_request : public many {
 public:
  any_request(call& here, int count, const MPI_Request* requests, const int* place,
              MPI_Status* status, const int* flag = nullptr)
      : many(here, count, requests, &unused_, flag), place_(place), status_(status) {}
  [[nodiscard]] MPI_Status* status() noexcept { return status_.get(); }
  void after(int result) noexcept {
    if (!has_completed(result) || *place_ == MPI_UNDEFINED) return;
    complete(static_cast<std::size_t>(*place_), status_.get());
  }

 private:
  MPI_Status unused_{};
  const int* place_;
  wanted_status status_;
};

/// The program gives the handle up; the message may still be under way.
class free_request {
 public:
  free_request(call& here, const MPI_Request* request) noexcept
      : here_(here), entry_(here, *request) {}
  void after(int result) noexcept {
    request_data* gone = result == MPI_SUCCESS ? entry_.take() : nullptr;
    if (gone == nullptr) return;
    if (gone->is_started) note_left_behind(here_);
    if (gone->sharers > 0 || (gone->is_started && !gone->is_wildcard)) {
      gone->is_persistent = false;
      note_completion(*gone, here_, nullptr);
    } else {
      forget_request(*gone);
    }
  }

 private:
  call& here_;
  kept_entry entry_;
};

/// A program may change a send's buffer as soon as it has learned that the send is complete.
class ask_request {
 public:
  ask_request(call& here, MPI_Request request, const int* flag) noexcept
      : here_(here), request_(request), flag_(flag) {}
  void after(int result) noexcept {
    if (result != MPI_SUCCESS || *flag_ == 0 || !attached.verifies) return;
    if (request_data* one = attached.pending.find(request_)) verify_at_wait(*one, here_);
  }

 private:
  call& here_;
  MPI_Request request_;
  const int* flag_;
};

class cancel {
 public:
  cancel(call&, const MPI_Request* request) noexcept {
    if (request_data* one = attached.pending.find(*request)) one->is_cancelled = true;
  }
  void after(int) noexcept {}
};

}  // namespace plait::attach::hooks
