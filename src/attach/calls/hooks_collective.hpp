// SPDX-License-Identifier: BSD-3-Clause
/// Hooks of collectives, blocking and started.  Of each rank's part is noted when it began and
/// ended, by the collective's number on its communicator: which rank came last is found after the
/// run.
#pragma once

#include "attach/calls/posting.hpp"

namespace plait::attach::hooks {

/// Returns the bytes that this rank gives or takes; 0 where the buffer stands for another, or has
/// no meaning on this rank.
template <class Count>
[[nodiscard]] inline std::uint64_t part_of(const void* buffer, Count count, MPI_Datatype type,
                                           int root = 0) noexcept {
  const bool has_none = buffer == MPI_IN_PLACE || root == MPI_ROOT || root == MPI_PROC_NULL;
  return has_none ? 0 : bytes_of(count, type);
}

/// A collective that is over when the call is.
class collective {
 public:
  collective(call& here, record_kind kind, std::uint64_t bytes, int root, MPI_Comm comm) noexcept
      : here_(here) {
    here.waits();
    here.moved(bytes);
    communicator_data* in = attached.spaces.find(comm);
    if (in == nullptr || in->is_inter) return;
    note_post(record_, here, kind, *in, root, 0, bytes);
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
  started_collective(call& here, record_kind kind, std::uint64_t bytes, int root, MPI_Comm comm,
                     MPI_Request* request, bool runs_users_code = false) noexcept
      : here_(here), request_(request) {
    here.moved(bytes);
    made_.is_message = false;
    made_.has_user_operation = runs_users_code;
    communicator_data* in = attached.spaces.find(comm);
    made_.has_peer = in != nullptr && !in->is_inter;
    made_.record.kind = kind;
    if (!made_.has_peer) return;
    note_post(made_.record, here, kind, *in, root, 0, bytes);
    made_.record.place = in->collectives++;
  }
  void after(int result) {
    if (result != MPI_SUCCESS) return;
    note_request(made_, *request_, here_, true);
  }

 private:
  call& here_;
  MPI_Request* request_;
  request_data made_;
};

struct barrier : collective {
  barrier(call& here, MPI_Comm comm) noexcept
      : collective(here, record_kind::all_to_all, 0, -1, comm) {}
};
struct all_to_all : collective {
  template <class Count>
  all_to_all(call& here, const void* buffer, Count count, MPI_Datatype type, MPI_Comm comm) noexcept
      : collective(here, record_kind::all_to_all, part_of(buffer, count, type), -1, comm) {}
};
struct all_to_all_unsized : collective {
  all_to_all_unsized(call& here, MPI_Comm comm) noexcept
      : collective(here, record_kind::all_to_all, 0, -1, comm) {}
};
struct all_to_all_op : collective {
  template <class Count>
  all_to_all_op(call& here, Count count, MPI_Datatype type, MPI_Op, MPI_Comm comm) noexcept
      : collective(here, record_kind::all_to_all, bytes_of(count, type), -1, comm) {}
};
struct all_to_all_unsized_op : collective {
  all_to_all_unsized_op(call& here, MPI_Datatype, MPI_Op, MPI_Comm comm) noexcept
      : collective(here, record_kind::all_to_all, 0, -1, comm) {}
};
struct from_root : collective {
  template <class Count>
  from_root(call& here, const void* buffer, Count count, MPI_Datatype type, int root,
            MPI_Comm comm) noexcept
      : collective(here, record_kind::from_root, part_of(buffer, count, type, root), root, comm) {}
};
struct to_root : collective {
  template <class Count>
  to_root(call& here, const void* buffer, Count count, MPI_Datatype type, int root,
          MPI_Comm comm) noexcept
      : collective(here, record_kind::to_root, part_of(buffer, count, type, root), root, comm) {}
};
struct to_root_op : collective {
  template <class Count>
  to_root_op(call& here, Count count, MPI_Datatype type, MPI_Op, int root, MPI_Comm comm) noexcept
      : collective(here, record_kind::to_root, part_of(nullptr, count, type, root), root, comm) {}
};

struct started_barrier : started_collective {
  started_barrier(call& here, MPI_Comm comm, MPI_Request* request) noexcept
      : started_collective(here, record_kind::all_to_all, 0, -1, comm, request) {}
};
struct started_all_to_all : started_collective {
  template <class Count>
  started_all_to_all(call& here, const void* buffer, Count count, MPI_Datatype type, MPI_Comm comm,
                     MPI_Request* request) noexcept
      : started_collective(here, record_kind::all_to_all, part_of(buffer, count, type), -1, comm,
                           request) {}
};
struct started_all_to_all_unsized : started_collective {
  started_all_to_all_unsized(call& here, MPI_Comm comm, MPI_Request* request) noexcept
      : started_collective(here, record_kind::all_to_all, 0, -1, comm, request) {}
};
struct started_all_to_all_op : started_collective {
  template <class Count>
  started_all_to_all_op(call& here, Count count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm,
                        MPI_Request* request) noexcept
      : started_collective(here, record_kind::all_to_all, bytes_of(count, type), -1, comm, request,
                           is_user_operation(operation)) {}
};
struct started_all_to_all_unsized_op : started_collective {
  started_all_to_all_unsized_op(call& here, MPI_Datatype, MPI_Op operation, MPI_Comm comm,
                                MPI_Request* request) noexcept
      : started_collective(here, record_kind::all_to_all, 0, -1, comm, request,
                           is_user_operation(operation)) {}
};
struct started_from_root : started_collective {
  template <class Count>
  started_from_root(call& here, const void* buffer, Count count, MPI_Datatype type, int root,
                    MPI_Comm comm, MPI_Request* request) noexcept
      : started_collective(here, record_kind::from_root, part_of(buffer, count, type, root), root,
                           comm, request) {}
};
struct started_to_root : started_collective {
  template <class Count>
  started_to_root(call& here, const void* buffer, Count count, MPI_Datatype type, int root,
                  MPI_Comm comm, MPI_Request* request) noexcept
      : started_collective(here, record_kind::to_root, part_of(buffer, count, type, root), root,
                           comm, request) {}
};
struct started_to_root_op : started_collective {
  template <class Count>
  started_to_root_op(call& here, Count count, MPI_Datatype type, MPI_Op operation, int root,
                     MPI_Comm comm, MPI_Request* request) noexcept
      : started_collective(here, record_kind::to_root, part_of(nullptr, count, type, root), root,
                           comm, request, is_user_operation(operation)) {}
};

}  // namespace plait::attach::hooks
