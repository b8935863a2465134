// SPDX-License-Identifier: BSD-3-Clause
// One entry for each operation.  Values are whole numbers and 128ths of them, so that sums are
// exact and no order of combination changes them.
#include "operation.hpp"

namespace plait::network::nbc {
namespace {

constexpr int root = 0;

double as_double(std::size_t value) {
  return static_cast<double>(value);
}

std::size_t part(const place& at) {
  return at.index / at.count;
}

// Differs for each pair of ranks, and along the message.
double message_value(std::size_t from, std::size_t to, std::size_t index) {
  return 4096 * as_double(from) + as_double(to) + as_double(index % 97) / 128;
}

double summand(const place& at) {
  return (at.rank + 1) * (1 + as_double(at.index % 97));
}

// The sum of what the first `ranks` ranks have at an index.
double sum_of(int ranks, std::size_t index) {
  return 0.5 * ranks * (ranks + 1) * (1 + as_double(index % 97));
}

std::optional<double> on_root(const place& at, double value) {
  return at.rank == root ? std::optional(value) : std::nullopt;
}

auto rank_of(const place& at) {
  return static_cast<std::size_t>(at.rank);
}

const operation allgather{
    .name = "allgather",
    .calls = "MPI_Allgather",
    .receives_from_each = true,
    .sent = [](const place& at) { return message_value(rank_of(at), 0, at.index); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(part(at), 0, at.index % at.count);
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
    .sends_to_each = true,
    .receives_from_each = true,
    .sent =
        [](const place& at) { return message_value(rank_of(at), part(at), at.index % at.count); },
    .expected = [](const place& at) -> std::optional<double> {
      return message_value(part(at), rank_of(at), at.index % at.count);
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

const operation gather{
    .name = "gather",
    .calls = "MPI_Gather",
    .receives_from_each = true,
    .sent = [](const place& at) { return message_value(rank_of(at), 0, at.index); },
    .expected =
        [](const place& at) {
          return on_root(at, message_value(part(at), 0, at.index % at.count));
        },
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
    .sends_to_each = true,
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
    .sends_to_each = true,
    .sent =
        [](const place& at) { return message_value(rank_of(at), part(at), at.index % at.count); },
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
  static const std::vector<operation> all{allgather, allreduce,      alltoall, bcast,  gather,
                                          reduce,    reduce_scatter, scan,     scatter};
  return all;
}

}  // namespace plait::network::nbc
