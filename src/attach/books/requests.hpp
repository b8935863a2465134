// SPDX-License-Identifier: BSD-3-Clause
/// The program's requests that are not complete, and what each is for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "attach/books/profile_data.hpp"
#include "attach/calls/communicators.hpp"
#include "attach/calls/real_functions.hpp"

namespace plait::attach {

struct request_data {
  MPI_Request handle = {};
  record_data record;
  /// Whose ranks a status names; of persistent requests and wildcards.  The program may free the
  /// communicator before they are complete.
  std::shared_ptr<communicator_data> in;
  const void* buffer = nullptr;  ///< of a send
  std::uint64_t count = 0;
  MPI_Datatype type = {};
  std::optional<std::uint64_t> checksum;
  bool owns_type = false;   ///< `type` is made for this request, and freed with it
  bool is_checked = false;  ///< nothing is left to verify
  bool is_message = true;
  bool is_wildcard = false;
  bool has_peer = true;  ///< MPI_PROC_NULL and ranks of other worlds leave no record
  bool is_persistent = false;
  bool is_started = false;
  bool is_cancelled = false;
  bool is_buffered = false;  ///< a send that may be complete before its message is sent
  bool has_user_operation = false;
  bool is_complete = false;   ///< a look has found it so
  bool is_kept = false;       ///< a thread is in the call that may complete it
  std::uint32_t sharers = 0;  ///< not 0: requests with this handle, each complete since its post
  // In the order of posting, those that are started.
  request_data* older = nullptr;
  request_data* newer = nullptr;
  request_data* next_in_bucket = nullptr;
};

/// A library gives the same handle to all requests that are complete from the start (Open MPI's
/// short sends), so a handle names no request where two that are open have it.  Those have one
/// entry, which counts them.  An entry that a thread keeps is not found: its handle may mean
/// another by now.
class requests {
 public:
  requests() : buckets_(1024, nullptr) {}
  /// A new entry, not started yet.
  request_data& add(const request_data& made);
  [[nodiscard]] request_data* find(MPI_Request handle) noexcept {
    request_data* one = bucket(handle);
    while (one != nullptr && (one->handle != handle || one->is_kept)) one = one->next_in_bucket;
    return one;
  }
  void remove(request_data& one) noexcept;
  void start(request_data& one) noexcept;
  void stop(request_data& one) noexcept;

  [[nodiscard]] request_data* oldest() const noexcept { return oldest_; }
  [[nodiscard]] int user_operations() const noexcept { return user_operations_; }

 private:
  [[nodiscard]] request_data*& bucket(MPI_Request handle) noexcept {
    return buckets_[(number_of(handle) * 0x9e3779b97f4a7c15 >> 40) & (buckets_.size() - 1)];
  }
  void append(request_data& to_its_bucket) noexcept;
  void widen();

  std::vector<request_data*> buckets_;
  std::vector<std::unique_ptr<request_data[]>> blocks_;
  request_data* unused_ = nullptr;
  request_data* oldest_ = nullptr;
  request_data* newest_ = nullptr;
  std::size_t known_ = 0;
  int user_operations_ = 0;
};

}  // namespace plait::attach
