// SPDX-License-Identifier: BSD-3-Clause
// Blocking sends, receives and probes.
#include <cstddef>
#include <exception>
#include <mutex>
#include <vector>

#include "comm/blocking/await.hpp"

using plait::blocking_calls;
using plait::interceptor;
using plait::message;
using plait::message_envelope;

namespace {

/// Set before main where this target is linked.
const bool linked = plait::blocking_calls::linked = true;

int receive_and_send(blocking_calls& here, MPI_Status* status, void* received,
                     const message_envelope& incoming, const void* sent,
                     const message_envelope& outgoing) {
  const auto start = [](auto call, auto buffer, const message_envelope& one, MPI_Request& request) {
    return call(buffer, one.count, one.type, one.peer, one.tag, one.comm, &request);
  };
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  plait::told_messages told(&here);
  {
    std::unique_lock guard(here);
    told.post();
    int code = start(PMPI_Irecv, received, incoming, requests[0]);
    if (code != MPI_SUCCESS) return code;
    code = start(PMPI_Isend, sent, outgoing, requests[1]);
    if (code != MPI_SUCCESS) {
      guard.unlock();
      plait::give_up_message(here, requests[0]);
      return code;
    }
  }
  const int code = plait::wait_for_all(here, requests, statuses);
  if (status != MPI_STATUS_IGNORE) *status = statuses[0];
  if (code == MPI_SUCCESS && told.are_wanted() && std::uncaught_exceptions() == 0) {
    told.add(incoming, statuses[0]);
    told.add(outgoing, statuses[1]);
  }
  if (code != MPI_ERR_IN_STATUS) return code;
  const int of_receive = statuses[0].MPI_ERROR;
  return of_receive != MPI_SUCCESS && of_receive != MPI_ERR_PENDING ? of_receive
                                                                    : statuses[1].MPI_ERROR;
}

int send(auto direct, auto start, const void* buffer, int count, MPI_Datatype type, int target,
         int tag, MPI_Comm comm) {
  return message(
      [&] { return direct(buffer, count, type, target, tag, comm); },
      [&](MPI_Request* r) { return start(buffer, count, type, target, tag, comm, r); },
      {.sent = true, .count = count, .type = type, .peer = target, .tag = tag, .comm = comm});
}

}  // namespace

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {
  return send(PMPI_Send, PMPI_Isend, buffer, count, type, target, tag, comm);
}

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int target, int tag,
              MPI_Comm comm) {
  return send(PMPI_Ssend, PMPI_Issend, buffer, count, type, target, tag, comm);
}

int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int target, int tag,
              MPI_Comm comm) {
  return send(PMPI_Rsend, PMPI_Irsend, buffer, count, type, target, tag, comm);
}

int MPI_Bsend(const void* buffer, int count, MPI_Datatype type, int target, int tag,
              MPI_Comm comm) {
  plait::do_not_tell("buffered sends");
  return plait::under_token([&] { return PMPI_Bsend(buffer, count, type, target, tag, comm); });
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return message(
      [&] { return PMPI_Recv(buffer, count, type, source, tag, comm, status); },
      [&](MPI_Request* r) { return PMPI_Irecv(buffer, count, type, source, tag, comm, r); },
      {.sent = false, .count = count, .type = type, .peer = source, .tag = tag, .comm = comm},
      status);
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* found, MPI_Status* status) {
  plait::do_not_tell("matched receives");
  return plait::blocking([&] { return PMPI_Mrecv(buffer, count, type, found, status); },
                         [&](MPI_Request* r) { return PMPI_Imrecv(buffer, count, type, found, r); },
                         status);
}

int MPI_Sendrecv(const void* outgoing, int outgoing_count, MPI_Datatype outgoing_type, int target,
                 int outgoing_tag, void* incoming, int incoming_count, MPI_Datatype incoming_type,
                 int source, int incoming_tag, MPI_Comm comm, MPI_Status* status) {
  blocking_calls* here = interceptor();
  if (here == nullptr) {
    return PMPI_Sendrecv(outgoing, outgoing_count, outgoing_type, target, outgoing_tag, incoming,
                         incoming_count, incoming_type, source, incoming_tag, comm, status);
  }
  return receive_and_send(
      *here, status, incoming, {false, incoming_count, incoming_type, source, incoming_tag, comm},
      outgoing, {true, outgoing_count, outgoing_type, target, outgoing_tag, comm});
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int target, int outgoing_tag,
                         int source, int incoming_tag, MPI_Comm comm, MPI_Status* status) {
  blocking_calls* here = interceptor();
  if (here == nullptr) {
    return PMPI_Sendrecv_replace(buffer, count, type, target, outgoing_tag, source, incoming_tag,
                                 comm, status);
  }
  std::vector<std::byte> packed;
  int size = 0;
  {
    std::lock_guard guard(*here);
    if (const int code = PMPI_Pack_size(count, type, comm, &size); code != MPI_SUCCESS) return code;
    packed.resize(static_cast<std::size_t>(size));
    int used = 0;
    const int code = PMPI_Pack(buffer, count, type, packed.data(), size, &used, comm);
    if (code != MPI_SUCCESS) return code;
    size = used;
  }
  return receive_and_send(*here, status, buffer, {false, count, type, source, incoming_tag, comm},
                          packed.data(), {true, size, MPI_PACKED, target, outgoing_tag, comm});
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return PMPI_Probe(source, tag, comm, status);
  return plait::wait_for(
      *here, [&](int* flag) { return PMPI_Iprobe(source, tag, comm, flag, status); },
      [] { return false; });
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* found, MPI_Status* status) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return PMPI_Mprobe(source, tag, comm, found, status);
  return plait::wait_for(
      *here, [&](int* flag) { return PMPI_Improbe(source, tag, comm, flag, found, status); },
      [] { return false; });
}

}  // extern "C"
