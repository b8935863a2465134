// SPDX-License-Identifier: BSD-3-Clause
// Exchanges with the ranks before and after, in a ring [LibNBC's neighbour exchange, slide 29].
#include "operation_lists.hpp"
#include "values.hpp"

namespace plait::network::nbc {
namespace {

neighbourhood around(const buffers& b) {
  return {.sources = b.around, .destinations = b.around};
}

const operation neighbour_allgather{
    .name = "neighbour_allgather",
    .calls = "MPI_Neighbor_allgather",
    .receives = parts::neighbours,
    .sent = [](const place& at) { return message_value(rank_of(at), 0, at.index); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(at.part, 0, at.offset);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Neighbor_allgather(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                                        b.mpi_count(), MPI_DOUBLE, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Ineighbor_allgather(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                                         b.mpi_count(), MPI_DOUBLE, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.neighbour_allgather("neighbour allgather", in(b.send), out(b.receive), around(b), how);
        },
};

const operation neighbour_alltoall{
    .name = "neighbour_alltoall",
    .calls = "MPI_Neighbor_alltoall",
    .sends = parts::neighbours,
    .receives = parts::neighbours,
    .sent = [](const place& at) { return message_value(rank_of(at), at.part, at.offset); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(at.part, rank_of(at), at.offset);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Neighbor_alltoall(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                                       b.mpi_count(), MPI_DOUBLE, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Ineighbor_alltoall(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                                        b.mpi_count(), MPI_DOUBLE, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.neighbour_alltoall("neighbour alltoall", in(b.send), out(b.receive), around(b), how);
        },
};

}  // namespace

const std::vector<operation>& neighbour_operations() {
  static const std::vector<operation> all{neighbour_allgather, neighbour_alltoall};
  return all;
}

}  // namespace plait::network::nbc
