// SPDX-License-Identifier: BSD-3-Clause
// The operations whose ranks all send, or receive, parts of one size; and the list of all.
#include <algorithm>

#include "operation.hpp"
#include "operation_lists.hpp"
#include "values.hpp"

namespace plait::network::nbc {
namespace {

const operation allgather{
    .name = "allgather",
    .calls = "MPI_Allgather",
    .receives = parts::each,
    .sent = [](const place& at) { return message_value(rank_of(at), 0, at.index); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(at.part, 0, at.offset);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Allgather(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                               b.mpi_count(), MPI_DOUBLE, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Iallgather(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                                b.mpi_count(), MPI_DOUBLE, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.allgather("allgather", in(b.send), out(b.receive), how);
        },
};

const operation allreduce{
    .name = "allreduce",
    .calls = "MPI_Allreduce",
    .sent = summand,
    .expected = [](const place& at) -> std::optional<double> { return sum_of(at.ranks, at.index); },
    .blocking =
        [](buffers& b) {
          return MPI_Allreduce(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                               b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Iallreduce(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                                b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.allreduce("allreduce", in(b.send), out(b.receive), sum{}, how);
        },
};

const operation alltoall{
    .name = "alltoall",
    .calls = "MPI_Alltoall",
    .sends = parts::each,
    .receives = parts::each,
    .sent = [](const place& at) { return message_value(rank_of(at), at.part, at.offset); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(at.part, rank_of(at), at.offset);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Alltoall(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                              b.mpi_count(), MPI_DOUBLE, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Ialltoall(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                               b.mpi_count(), MPI_DOUBLE, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.alltoall("alltoall", in(b.send), out(b.receive), how);
        },
};

// No data: an order of what ranks do.
const operation barrier{
    .name = "barrier",
    .calls = "MPI_Barrier",
    .in_place = true,
    .sent = [](const place&) { return untouched; },
    .expected = [](const place&) -> std::optional<double> { return std::nullopt; },
    .blocking = [](buffers& b) { return MPI_Barrier(b.communicator); },
    .start = [](buffers& b,
                MPI_Request& request) { return MPI_Ibarrier(b.communicator, &request); },
    .submit = [](runtime& rt, buffers& b,
                 const collective_options& how) { rt.barrier("barrier", inout(b.receive), how); },
};

const operation bcast{
    .name = "bcast",
    .calls = "MPI_Bcast",
    .in_place = true,
    .sent = [](const place& at) { return message_value(root, 0, at.index); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(root, 0, at.index);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Bcast(b.receive.data(), b.mpi_count(), MPI_DOUBLE, root, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Ibcast(b.receive.data(), b.mpi_count(), MPI_DOUBLE, root, b.communicator,
                            &request);
        },
    .submit = [](runtime& rt, buffers& b,
                 const collective_options& how) { rt.bcast("bcast", inout(b.receive), root, how); },
};

const operation exscan{
    .name = "exscan",
    .calls = "MPI_Exscan",
    .sent = summand,
    .expected = [](const place& at) -> std::optional<double> {
      if (at.rank == 0) return std::nullopt;
      return sum_of(at.rank, at.index);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Exscan(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                            b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Iexscan(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                             b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.exscan("exscan", in(b.send), out(b.receive), sum{}, how);
        },
};

const operation gather{
    .name = "gather",
    .calls = "MPI_Gather",
    .receives = parts::each,
    .sent = [](const place& at) { return message_value(rank_of(at), 0, at.index); },
    .expected = [](const place& at) { return on_root(at, message_value(at.part, 0, at.offset)); },
    .blocking =
        [](buffers& b) {
          return MPI_Gather(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                            b.mpi_count(), MPI_DOUBLE, root, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Igather(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                             b.mpi_count(), MPI_DOUBLE, root, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.gather("gather", in(b.send), out(b.receive), root, how);
        },
};

const operation reduce{
    .name = "reduce",
    .calls = "MPI_Reduce",
    .sent = summand,
    .expected = [](const place& at) { return on_root(at, sum_of(at.ranks, at.index)); },
    .blocking =
        [](buffers& b) {
          return MPI_Reduce(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                            root, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Ireduce(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                             root, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.reduce("reduce", in(b.send), out(b.receive), root, sum{}, how);
        },
};

const operation reduce_scatter{
    .name = "reduce_scatter",
    .calls = "MPI_Reduce_scatter_block",
    .sends = parts::each,
    .sent = summand,
    .expected = [](const place& at) -> std::optional<double> {
      return sum_of(at.ranks, rank_of(at) * at.count + at.index);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Reduce_scatter_block(b.send.data(), b.receive.data(), b.mpi_count(),
                                          MPI_DOUBLE, MPI_SUM, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Ireduce_scatter_block(b.send.data(), b.receive.data(), b.mpi_count(),
                                           MPI_DOUBLE, MPI_SUM, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.reduce_scatter_block("reduce scatter", in(b.send), out(b.receive), sum{}, how);
        },
};

const operation scan{
    .name = "scan",
    .calls = "MPI_Scan",
    .sent = summand,
    .expected = [](const place& at) -> std::optional<double> {
      return sum_of(at.rank + 1, at.index);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Scan(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                          b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Iscan(b.send.data(), b.receive.data(), b.mpi_count(), MPI_DOUBLE, MPI_SUM,
                           b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.scan("scan", in(b.send), out(b.receive), sum{}, how);
        },
};

const operation scatter{
    .name = "scatter",
    .calls = "MPI_Scatter",
    .sends = parts::each,
    .sent = [](const place& at) { return message_value(rank_of(at), at.part, at.offset); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(root, rank_of(at), at.index);
    },
    .blocking =
        [](buffers& b) {
          return MPI_Scatter(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                             b.mpi_count(), MPI_DOUBLE, root, b.communicator);
        },
    .start =
        [](buffers& b, MPI_Request& request) {
          return MPI_Iscatter(b.send.data(), b.mpi_count(), MPI_DOUBLE, b.receive.data(),
                              b.mpi_count(), MPI_DOUBLE, root, b.communicator, &request);
        },
    .submit =
        [](runtime& rt, buffers& b, const collective_options& how) {
          rt.scatter("scatter", in(b.send), out(b.receive), root, how);
        },
};

}  // namespace

const std::vector<operation>& all_operations() {
  static const std::vector<operation> all = [] {
    std::vector<operation> each{allgather, allreduce, alltoall,       barrier, bcast,  exscan,
                                gather,    reduce,    reduce_scatter, scan,    scatter};
    each.insert(each.end(), uneven_operations().begin(), uneven_operations().end());
    each.insert(each.end(), neighbour_operations().begin(), neighbour_operations().end());
    std::ranges::sort(each, {}, &operation::name);
    return each;
  }();
  return all;
}

}  // namespace plait::network::nbc
