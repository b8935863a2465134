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

}  // namespace

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Barrier(comm); },
      [&](MPI_Request* r) { return PMPI_Ibarrier(comm, r); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Bcast(buffer, count, type, root, comm); },
      [&](MPI_Request* r) { return PMPI_Ibcast(buffer, count, type, root, comm, r); });
}

int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Reduce(from, to, count, type, op, root, comm); },
      [&](MPI_Request* r) { return PMPI_Ireduce(from, to, count, type, op, root, comm, r); });
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Allreduce(from, to, count, type, op, comm); },
      [&](MPI_Request* r) { return PMPI_Iallreduce(from, to, count, type, op, comm, r); });
}

int MPI_Scan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Scan(from, to, count, type, op, comm); },
      [&](MPI_Request* r) { return PMPI_Iscan(from, to, count, type, op, comm, r); });
}

int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Exscan(from, to, count, type, op, comm); },
      [&](MPI_Request* r) { return PMPI_Iexscan(from, to, count, type, op, comm, r); });
}

int MPI_Reduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Reduce_scatter(from, to, counts, type, op, comm); },
      [&](MPI_Request* r) { return PMPI_Ireduce_scatter(from, to, counts, type, op, comm, r); });
}

int MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Reduce_scatter_block(from, to, count, type, op, comm); },
      [&](MPI_Request* r) {
        return PMPI_Ireduce_scatter_block(from, to, count, type, op, comm, r);
      });
}

int MPI_Gather(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
               MPI_Datatype to_type, int root, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] { return PMPI_Gather(from, from_count, from_type, to, to_count, to_type, root, comm); },
      [&](MPI_Request* r) {
        return PMPI_Igather(from, from_count, from_type, to, to_count, to_type, root, comm, r);
      });
}

int MPI_Gatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                const int* to_counts, const int* places, MPI_Datatype to_type, int root,
                MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Gatherv(from, from_count, from_type, to, to_counts, places, to_type, root,
                            comm);
      },
      [&](MPI_Request* r) {
        return PMPI_Igatherv(from, from_count, from_type, to, to_counts, places, to_type, root,
                             comm, r);
      });
}

int MPI_Scatter(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                MPI_Datatype to_type, int root, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] { return PMPI_Scatter(from, from_count, from_type, to, to_count, to_type, root, comm); },
      [&](MPI_Request* r) {
        return PMPI_Iscatter(from, from_count, from_type, to, to_count, to_type, root, comm, r);
      });
}

int MPI_Scatterv(const void* from, const int* from_counts, const int* places,
                 MPI_Datatype from_type, void* to, int to_count, MPI_Datatype to_type, int root,
                 MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Scatterv(from, from_counts, places, from_type, to, to_count, to_type, root,
                             comm);
      },
      [&](MPI_Request* r) {
        return PMPI_Iscatterv(from, from_counts, places, from_type, to, to_count, to_type, root,
                              comm, r);
      });
}

int MPI_Allgather(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] { return PMPI_Allgather(from, from_count, from_type, to, to_count, to_type, comm); },
      [&](MPI_Request* r) {
        return PMPI_Iallgather(from, from_count, from_type, to, to_count, to_type, comm, r);
      });
}

int MPI_Allgatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                   const int* to_counts, const int* places, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Allgatherv(from, from_count, from_type, to, to_counts, places, to_type, comm);
      },
      [&](MPI_Request* r) {
        return PMPI_Iallgatherv(from, from_count, from_type, to, to_counts, places, to_type, comm,
                                r);
      });
}

int MPI_Alltoall(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                 MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(
      comm, [&] { return PMPI_Alltoall(from, from_count, from_type, to, to_count, to_type, comm); },
      [&](MPI_Request* r) {
        return PMPI_Ialltoall(from, from_count, from_type, to, to_count, to_type, comm, r);
      });
}

int MPI_Alltoallv(const void* from, const int* from_counts, const int* from_places,
                  MPI_Datatype from_type, void* to, const int* to_counts, const int* to_places,
                  MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Alltoallv(from, from_counts, from_places, from_type, to, to_counts, to_places,
                              to_type, comm);
      },
      [&](MPI_Request* r) {
        const exchange_buffers own(from, from_counts, to, to_counts, comm);
        const bool replaced = from == MPI_IN_PLACE && own.from != from;
        return PMPI_Ialltoallv(own.from, replaced ? to_counts : from_counts,
                               replaced ? to_places : from_places, replaced ? to_type : from_type,
                               own.to, to_counts, to_places, to_type, comm, r);
      });
}

int MPI_Alltoallw(const void* from, const int* from_counts, const int* from_places,
                  const MPI_Datatype* from_types, void* to, const int* to_counts,
                  const int* to_places, const MPI_Datatype* to_types, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Alltoallw(from, from_counts, from_places, from_types, to, to_counts, to_places,
                              to_types, comm);
      },
      [&](MPI_Request* r) {
        const exchange_buffers own(from, from_counts, to, to_counts, comm);
        const bool replaced = from == MPI_IN_PLACE && own.from != from;
        return PMPI_Ialltoallw(own.from, replaced ? to_counts : from_counts,
                               replaced ? to_places : from_places, replaced ? to_types : from_types,
                               own.to, to_counts, to_places, to_types, comm, r);
      });
}

int MPI_Neighbor_allgather(const void* from, int from_count, MPI_Datatype from_type, void* to,
                           int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Neighbor_allgather(from, from_count, from_type, to, to_count, to_type, comm);
      },
      [&](MPI_Request* r) {
        return PMPI_Ineighbor_allgather(from, from_count, from_type, to, to_count, to_type, comm,
                                        r);
      });
}

int MPI_Neighbor_allgatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                            const int* to_counts, const int* places, MPI_Datatype to_type,
                            MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Neighbor_allgatherv(from, from_count, from_type, to, to_counts, places, to_type,
                                        comm);
      },
      [&](MPI_Request* r) {
        return PMPI_Ineighbor_allgatherv(from, from_count, from_type, to, to_counts, places,
                                         to_type, comm, r);
      });
}

int MPI_Neighbor_alltoall(const void* from, int from_count, MPI_Datatype from_type, void* to,
                          int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Neighbor_alltoall(from, from_count, from_type, to, to_count, to_type, comm);
      },
      [&](MPI_Request* r) {
        return PMPI_Ineighbor_alltoall(from, from_count, from_type, to, to_count, to_type, comm, r);
      });
}

int MPI_Neighbor_alltoallv(const void* from, const int* from_counts, const int* from_places,
                           MPI_Datatype from_type, void* to, const int* to_counts,
                           const int* to_places, MPI_Datatype to_type, MPI_Comm comm) {
  return await_collective(
      comm,
      [&] {
        return PMPI_Neighbor_alltoallv(from, from_counts, from_places, from_type, to, to_counts,
                                       to_places, to_type, comm);
      },
      [&](MPI_Request* r) {
        return PMPI_Ineighbor_alltoallv(from, from_counts, from_places, from_type, to, to_counts,
                                        to_places, to_type, comm, r);
      });
}

}  // extern "C"
