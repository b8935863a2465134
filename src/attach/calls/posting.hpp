// SPDX-License-Identifier: BSD-3-Clause
/// Functions that hooks share: they note a message or collective when it is posted and when it
/// completes.
#pragma once

#include <cstdint>

#include "attach/calls/call.hpp"

namespace plait::attach {

/// Bytes of `count` elements.
template <class Count>
[[nodiscard]] inline std::uint64_t bytes_of(Count count, MPI_Datatype type) noexcept {
  return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * attached.sizes.of(type);
}
/// Bytes that a status tells of, as both libraries keep them in it.  After a long wait
/// MPI_Get_count would take 2 us, which is in no cache then.
[[nodiscard]] std::uint64_t bytes_received(const MPI_Status& status) noexcept;

/// The part of a record that a post decides.  The peer is left at -1 where it is not in the world.
void note_post(record_data& to, const call& here, record_kind kind, const communicator_data& in,
               int peer, int tag, std::uint64_t bytes) noexcept;
/// The part that the completing call decides.
void note_wait(record_data& to, const call& here) noexcept;
/// The source and tag of a receive that did not name them.
void note_source(record_data& to, const communicator_data& in, const MPI_Status& status) noexcept;

/// Keeps what is known of a request that the program was given, under its handle.
void note_request(request_data& made, MPI_Request handle, const call& here, bool starts);
/// Another request that is open has the handle of this entry: neither can be told from the other.
void note_if_shared(request_data& one, const call& here) noexcept;
/// Removes the entry.
void forget_request(request_data& one) noexcept;

/// A request is in flight, and is not any more: the progress thread is told.
void note_started(request_data& one) noexcept;
void note_stopped(request_data& one) noexcept;
/// A request is complete: its record is written, and the entry goes, or rests where it is
/// persistent.  `status` may be null where the request was given up.
void note_completion(request_data& done, call& here, const MPI_Status* status) noexcept;

/// The library may still have a message to send that neither a call nor a request stands for: the
/// progress thread looks after it for a second.
void note_left_behind(const call& here) noexcept;

/// A send, a receive, or a request of either, to or from nobody has no record.
[[nodiscard]] inline bool is_nobody(int peer) noexcept {
  return peer == MPI_PROC_NULL;
}

}  // namespace plait::attach
