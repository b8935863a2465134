// SPDX-License-Identifier: BSD-3-Clause
// Blocking collectives.  Tasks that call them on one communicator must do so in the same order on
// all ranks, as MPI asks; an inout access to something they share sees to it.
#include <algorithm>

#include "comm/blocking/await.hpp"

using plait::await_collective;

namespace {

/// The buffers of an all-to-all exchange whose counts differ, as Open MPI's non-blocking one takes
/// them.  It takes equal addresses for a call in place, also where one of the buffers is empty; and
/// a rank without data returns from one in place before it has taken the tag of the call, so that
/// what follows on the communicator does not meet.  So empty buffers have addresses of their own.
struct exchange_buffers {
  const void* from;
  void* to;

  exchange_buffers(const void* given_from, const int* from_counts, void* given_to,
                   const int* to_counts, MPI_Comm comm)
      : from(given_from), to(given_to) {
    static char nothing_to_send;
    static char nothing_to_receive;
    int between_groups = 0;
    int ranks = 0;
    PMPI_Comm_test_inter(comm, &between_groups);
    between_groups != 0 ? PMPI_Comm_remote_size(comm, &ranks) : PMPI_Comm_size(comm, &ranks);
    const auto empty = [ranks](const int* counts) {
      return std::all_of(counts, counts + ranks, [](int count) { return count == 0; });
    };
    const bool nothing_comes = empty(to_counts);
    if (from == MPI_IN_PLACE ? nothing_comes : empty(from_counts)) from = &nothing_to_send;
    if (nothing_comes) to = &nothing_to_receive;
  }
};

/// Returns `start`, the non-blocking one, with these buffers.
[[nodiscard]] auto apart(auto start) {
  return [start](const void* from, const int* from_counts, const int* from_places, auto from_type,
                 void* to, const int* to_counts, const int* to_places, auto to_type, MPI_Comm comm,
                 MPI_Request* request) {
    const exchange_buffers own(from, from_counts, to, to_counts, comm);
    const bool replaced = from == MPI_IN_PLACE && own.from != from;
    return start(own.from, replaced ? to_counts : from_counts, replaced ? to_places : from_places,
                 replaced ? to_type : from_type, own.to, to_counts, to_places, to_type, comm,
                 request);
  };
}

}  // namespace

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  return await_collective(PMPI_Barrier, PMPI_Ibarrier, comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return await_collective(PMPI_Bcast, PMPI_Ibcast, comm, buffer, count, type, root);
}

int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  return await_collective(PMPI_Reduce, PMPI_Ireduce, comm, from, to, count, type, op, root);
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return await_collective(PMPI_Allreduce, PMPI_Iallreduce, comm, from, to, count, type, op);
}

int MPI_Scan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return await_collective(PMPI_Scan, PMPI_Iscan, comm, from, to, count, type, op);
}

int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return await_collective(PMPI_Exscan, PMPI_Iexscan, comm, from, to, count, type, op);
}

int MPI_Reduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  return await_collective(PMPI_Reduce_scatter, PMPI_Ireduce_scatter, comm, from, to, counts, type,
                          op);
}

int MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  return await_collective(PMPI_Reduce_scatter_block, PMPI_Ireduce_scatter_block, comm, from, to,
                          count, type, op);
}

int MPI_Gather(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
               MPI_Datatype to_type, int root, MPI_Comm comm) {
  return await_collective(PMPI_Gather, PMPI_Igather, comm, from, from_count, from_type, to,
                          to_count, to_type, root);
}

int MPI_Gatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                const int* to_counts, const int* places, MPI_Datatype to_type, int root,
                MPI_Comm comm) {
  return await_collective(PMPI_Gatherv, PMPI_Igatherv, comm, from, from_count, from_type, to,
                          to_counts, places, to_type, root);
}

int MPI_Scatter(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                MPI_Datatype to_type, int root, MPI_Comm comm) {
  return await_collective(PMPI_Scatter, PMPI_Iscatter, comm, from, from_count, from_type, to,
                          to_count, to_type, root);
}

int MPI_Scatterv(const void* from, const int* from_counts, const int* places,
                 MPI_Datatype from_type, void* to, int to_count, MPI_Datatype to_type, int root,
                 MPI_Comm comm) {
  return await_collective(PMPI_Scatterv, PMPI_Iscatterv, comm, from, from_counts, places, from_type,
                          to, to_count, to_type, root);
}

int MPI_Allgather(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(PMPI_Allgather, PMPI_Iallgather, comm, from, from_count, from_type, to,
                          to_count, to_type);
}

int MPI_Allgatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                   const int* to_counts, const int* places, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(PMPI_Allgatherv, PMPI_Iallgatherv, comm, from, from_count, from_type, to,
                          to_counts, places, to_type);
}

int MPI_Alltoall(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                 MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(PMPI_Alltoall, PMPI_Ialltoall, comm, from, from_count, from_type, to,
                          to_count, to_type);
}

int MPI_Alltoallv(const void* from, const int* from_counts, const int* from_places,
                  MPI_Datatype from_type, void* to, const int* to_counts, const int* to_places,
                  MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(PMPI_Alltoallv, apart(PMPI_Ialltoallv), comm, from, from_counts,
                          from_places, from_type, to, to_counts, to_places, to_type);
}

int MPI_Alltoallw(const void* from, const int* from_counts, const int* from_places,
                  const MPI_Datatype* from_types, void* to, const int* to_counts,
                  const int* to_places, const MPI_Datatype* to_types, MPI_Comm comm) {
  return await_collective(PMPI_Alltoallw, apart(PMPI_Ialltoallw), comm, from, from_counts,
                          from_places, from_types, to, to_counts, to_places, to_types);
}

int MPI_Neighbor_allgather(const void* from, int from_count, MPI_Datatype from_type, void* to,
                           int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(PMPI_Neighbor_allgather, PMPI_Ineighbor_allgather, comm, from, from_count,
                          from_type, to, to_count, to_type);
}

int MPI_Neighbor_allgatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                            const int* to_counts, const int* places, MPI_Datatype to_type,
                            MPI_Comm comm) {
  return await_collective(PMPI_Neighbor_allgatherv, PMPI_Ineighbor_allgatherv, comm, from,
                          from_count, from_type, to, to_counts, places, to_type);
}

int MPI_Neighbor_alltoall(const void* from, int from_count, MPI_Datatype from_type, void* to,
                          int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(PMPI_Neighbor_alltoall, PMPI_Ineighbor_alltoall, comm, from, from_count,
                          from_type, to, to_count, to_type);
}

int MPI_Neighbor_alltoallv(const void* from, const int* from_counts, const int* from_places,
                           MPI_Datatype from_type, void* to, const int* to_counts,
                           const int* to_places, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(PMPI_Neighbor_alltoallv, PMPI_Ineighbor_alltoallv, comm, from,
                          from_counts, from_places, from_type, to, to_counts, to_places, to_type);
}

}  // extern "C"
