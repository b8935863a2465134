// SPDX-License-Identifier: BSD-3-Clause
/// Hooks of collectives, blocking and started.  Of each rank's part is noted when it began and
/// ended, by the collective's number on its communicator: which rank came last is found after the
/// run.
#pragma once

#include <algorithm>
#include <optional>

#include "attach/calls/posting.hpp"

namespace plait::attach::hooks {

/// A rank's part in a collective.
struct part {
  record_kind kind;
  std::uint64_t bytes;
  int root;  ///< -1: none
  MPI_Comm comm;
  std::optional<MPI_Op> operation = {};
};

/// Returns the bytes that this rank gives or takes; 0 where the buffer stands for another, or has
/// no meaning on this rank.
template <class Count>
[[nodiscard]] inline std::uint64_t bytes_of_part(const void* buffer, Count count, MPI_Datatype type,
                                                 int root = 0) noexcept {
  const bool has_none = buffer == MPI_IN_PLACE || root == MPI_ROOT || root == MPI_PROC_NULL;
  return has_none ? 0 : bytes_of(count, type);
}

// Parts, by those arguments of a function that say what is moved.
template <class Count>
part all_to_all(const void* buffer, Count count, MPI_Datatype type, MPI_Comm comm) noexcept {
  return {record_kind::all_to_all, bytes_of_part(buffer, count, type), -1, comm};
}
/// Of blocks that differ in size: the largest.
template <class Count>
part all_to_all_v(const void* buffer, const Count* counts, MPI_Datatype type, const Count* received,
                  MPI_Datatype received_type, MPI_Comm comm) noexcept {
  const communicator_data* in = attached.spaces.find(comm);
  const std::size_t blocks = in == nullptr || in->is_inter ? 0 : in->world_of.size();
  const bool in_place = buffer == MPI_IN_PLACE;
  const Count* const first = in_place ? received : counts;
  const Count largest = blocks == 0 ? Count{} : *std::max_element(first, first + blocks);
  return {record_kind::all_to_all, bytes_of(largest, in_place ? received_type : type), -1, comm};
}
inline part unsized(MPI_Comm comm) noexcept {
  return {record_kind::all_to_all, 0, -1, comm};
}
template <class Count>
part reduced(Count count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) noexcept {
  return {record_kind::all_to_all, bytes_of(count, type), -1, comm, operation};
}
inline part reduced_unsized(MPI_Op operation, MPI_Comm comm) noexcept {
  return {record_kind::all_to_all, 0, -1, comm, operation};
}
template <class Count>
part from_root(const void* buffer, Count count, MPI_Datatype type, int root,
               MPI_Comm comm) noexcept {
  return {record_kind::from_root, bytes_of_part(buffer, count, type, root), root, comm};
}
template <class Count>
part to_root(const void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  return {record_kind::to_root, bytes_of_part(buffer, count, type, root), root, comm};
}
template <class Count>
part reduced_to_root(Count count, MPI_Datatype type, MPI_Op operation, int root,
                     MPI_Comm comm) noexcept {
  return {record_kind::to_root, bytes_of_part(nullptr, count, type, root), root, comm, operation};
}

/// A collective that is over when the call is.
class collective {
 public:
  collective(call& here, const part& own) noexcept : here_(here) {
    here.waits();
    here.moved(own.bytes);
    communicator_data* in = attached.spaces.find(own.comm);
    if (in == nullptr || in->is_inter) return;
    note_post(record_, here, own.kind, *in, own.root, 0, own.bytes);
    record_.place = in->collectives++;
    is_noted_ = true;
  }
  void after(int result) noexcept {
    if (result != MPI_SUCCESS || !is_noted_) return;
    note_wait(record_, here_);
    attached.notes.add_record(record_);
  }

 private:
  call& here_;
  record_data record_;
  bool is_noted_ = false;
};

/// A collective that a request completes.
class started_collective {
 public:
  started_collective(call& here, const part& own, MPI_Request* request) noexcept
      : here_(here), request_(request) {
    here.moved(own.bytes);
    made_.is_message = false;
    made_.has_user_operation = own.operation && attached.user_operations.has(*own.operation);
    communicator_data* in = attached.spaces.find(own.comm);
    made_.has_peer = in != nullptr && !in->is_inter;
    made_.record.kind = own.kind;
    if (!made_.has_peer) return;
    note_post(made_.record, here, own.kind, *in, own.root, 0, own.bytes);
    made_.record.place = in->collectives++;
  }
  void after(int result) {
    if (result == MPI_SUCCESS) note_request(made_, *request_, here_, true);
  }

 private:
  call& here_;
  MPI_Request* request_;
  request_data made_;
};

}  // namespace plait::attach::hooks
