// SPDX-License-Identifier: BSD-3-Clause
// The v forms.  A part's size depends on both ends: see part_elements in operation.cpp.
#include "operation_lists.hpp"
#include "values.hpp"

namespace plait::network::nbc {
namespace {

const operation allgatherv{
    .name = "allgatherv",
    .calls = "MPI_Allgatherv",
    .receives = parts::each,
    .uneven = true,
    .sent = [](const place& at) { return message_value(rank_of(at), 0, at.index); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(at.part, 0, at.offset);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Allgatherv(b.send.data(), b.mpi_send_count(), MPI_DOUBLE, b.receive.data(),
                                b.received.counts.data(), b.received.displacements.data(),
                                MPI_DOUBLE, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Iallgatherv(b.send.data(), b.mpi_send_count(), MPI_DOUBLE, b.receive.data(),
                                 b.received.counts.data(), b.received.displacements.data(),
                                 MPI_DOUBLE, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.allgatherv("allgatherv", in(b.send), out(b.receive), b.received.blocks, how);
        },
};

const operation alltoallv{
    .name = "alltoallv",
    .calls = "MPI_Alltoallv",
    .sends = parts::each,
    .receives = parts::each,
    .uneven = true,
    .sent = [](const place& at) { return message_value(rank_of(at), at.part, at.offset); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(at.part, rank_of(at), at.offset);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Alltoallv(b.send.data(), b.sent.counts.data(), b.sent.displacements.data(),
                               MPI_DOUBLE, b.receive.data(), b.received.counts.data(),
                               b.received.displacements.data(), MPI_DOUBLE, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Ialltoallv(b.send.data(), b.sent.counts.data(), b.sent.displacements.data(),
                                MPI_DOUBLE, b.receive.data(), b.received.counts.data(),
                                b.received.displacements.data(), MPI_DOUBLE, b.communicator,
                                &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.alltoallv("alltoallv", in(b.send), b.sent.blocks, out(b.receive), b.received.blocks,
                       how);
        },
};

const operation gatherv{
    .name = "gatherv",
    .calls = "MPI_Gatherv",
    .receives = parts::each,
    .uneven = true,
    .sent = [](const place& at) { return message_value(rank_of(at), 0, at.index); },
    .expected = [](const place& at) { return on_root(at, message_value(at.part, 0, at.offset)); },
    .blocking =
        [](buffers& b) {
          return MPI_Gatherv(b.send.data(), b.mpi_send_count(), MPI_DOUBLE, b.receive.data(),
                             b.received.counts.data(), b.received.displacements.data(), MPI_DOUBLE,
                             root, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Igatherv(b.send.data(), b.mpi_send_count(), MPI_DOUBLE, b.receive.data(),
                              b.received.counts.data(), b.received.displacements.data(), MPI_DOUBLE,
                              root, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.gatherv("gatherv", in(b.send), out(b.receive), b.received.blocks, root, how);
        },
};

const operation scatterv{
    .name = "scatterv",
    .calls = "MPI_Scatterv",
    .sends = parts::each,
    .uneven = true,
    .sent = [](const place& at) { return message_value(rank_of(at), at.part, at.offset); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(root, rank_of(at), at.index);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Scatterv(b.send.data(), b.sent.counts.data(), b.sent.displacements.data(),
                              MPI_DOUBLE, b.receive.data(), b.mpi_receive_count(), MPI_DOUBLE, root,
                              b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Iscatterv(b.send.data(), b.sent.counts.data(), b.sent.displacements.data(),
                               MPI_DOUBLE, b.receive.data(), b.mpi_receive_count(), MPI_DOUBLE,
                               root, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.scatterv("scatterv", in(b.send), b.sent.blocks, out(b.receive), root, how);
        },
};

}  // namespace

const std::vector<operation>& uneven_operations() {
  static const std::vector<operation> all{allgatherv, alltoallv, gatherv, scatterv};
  return all;
}

}  // namespace plait::network::nbc
