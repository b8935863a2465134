// SPDX-License-Identifier: BSD-3-Clause
#include "operation.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "measure/base/mpi_check.hpp"
#include "values.hpp"

namespace plait::network::nbc {
namespace {

/// Elements that go from one rank to another: of uneven parts the mean over the receivers is about
/// `count`.
std::size_t part_elements(const operation& what, std::size_t count, int ranks, int from, int to) {
  if (!what.uneven) return count;
  const auto of = static_cast<std::size_t>(ranks);
  return count * 2 * (static_cast<std::size_t>(from + to) % of + 1) / (of + 1);
}

std::vector<int> neighbours_of(int rank, int ranks) {
  std::vector<int> all{(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

/// `elements(r)`: of the part of rank r.
layout laid_out(parts which, std::span<const int> around, int ranks, auto&& elements, int own) {
  layout result;
  if (which == parts::neighbours) {
    result.ranks.assign(around.begin(), around.end());
  } else if (which == parts::each) {
    result.ranks.resize(static_cast<std::size_t>(ranks));
    std::iota(result.ranks.begin(), result.ranks.end(), std::size_t{0});
  }
  const auto add = [&](int of) {
    const std::size_t size = elements(of);
    result.blocks.push_back({.count = size, .displacement = result.elements});
    result.counts.push_back(static_cast<int>(size));
    result.displacements.push_back(static_cast<int>(result.elements));
    result.elements += size;
  };
  for (const std::size_t of : result.ranks) add(static_cast<int>(of));
  if (which == parts::one) add(own);
  return result;
}

layout send_layout(const operation& what, std::size_t count, int rank, int ranks,
                   std::span<const int> around) {
  if (what.in_place) return {};
  // Scattered data is the root's, on every rank.
  const int from = what.receives == parts::one ? root : rank;
  const auto part = [&](int to) { return part_elements(what, count, ranks, from, to); };
  const auto whole = [&](int) { return part_elements(what, count, ranks, rank, root); };
  return what.sends == parts::one ? laid_out(what.sends, around, ranks, whole, rank)
                                  : laid_out(what.sends, around, ranks, part, rank);
}

layout receive_layout(const operation& what, std::size_t count, int rank, int ranks,
                      std::span<const int> around) {
  const int to = what.sends == parts::one ? root : rank;
  const auto part = [&](int from) { return part_elements(what, count, ranks, from, to); };
  const auto whole = [&](int) { return part_elements(what, count, ranks, root, rank); };
  return what.receives == parts::one ? laid_out(what.receives, around, ranks, whole, rank)
                                     : laid_out(what.receives, around, ranks, part, rank);
}

MPI_Comm knowing_neighbours(MPI_Comm of, const std::vector<int>& around) {
  MPI_Comm result = MPI_COMM_NULL;
  const int degree = static_cast<int>(around.size());
  measure::check_mpi(
      MPI_Dist_graph_create_adjacent(of, degree, around.data(), MPI_UNWEIGHTED, degree,
                                     around.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &result),
      "MPI_Dist_graph_create_adjacent");
  measure::check_mpi(MPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return result;
}

}  // namespace

buffers::buffers(const operation& operation, std::size_t size_bytes, MPI_Comm on)
    : what(operation), communicator(on), count(size_bytes / sizeof(double)) {
  measure::check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  measure::check_mpi(MPI_Comm_size(communicator, &ranks), "MPI_Comm_size");
  around = neighbours_of(rank, ranks);
  sent = send_layout(what, count, rank, ranks, around);
  received = receive_layout(what, count, rank, ranks, around);
  send.resize(sent.elements);
  receive.resize(received.elements);
  if (has_neighbours(what)) communicator = knowing_neighbours(communicator, around);
  renew();
}

buffers::~buffers() {
  if (has_neighbours(what)) MPI_Comm_free(&communicator);
}

place buffers::place_of(const layout& where, std::size_t part, std::size_t offset) const {
  return {.rank = rank,
          .ranks = ranks,
          .count = count,
          .index = where.blocks[part].displacement + offset,
          .part = where.ranks.empty() ? 0 : where.ranks[part],
          .offset = offset};
}

void buffers::renew() {
  std::ranges::fill(receive, untouched);
  const bool from_receive = what.in_place && rank == root;
  std::vector<double>& data = from_receive ? receive : send;
  const layout& where = from_receive ? received : sent;
  for (std::size_t part = 0; part < where.blocks.size(); ++part)
    for (std::size_t i = 0; i < where.blocks[part].count; ++i) {
      const place at = place_of(where, part, i);
      data[at.index] = what.sent(at);
    }
}

void buffers::expect_right() const {
  for (std::size_t part = 0; part < received.blocks.size(); ++part)
    for (std::size_t i = 0; i < received.blocks[part].count; ++i) {
      const place at = place_of(received, part, i);
      const double expected = what.expected(at).value_or(untouched);
      if (receive[at.index] != expected)
        throw error(fmt::format("{}: rank {} of {} expected {} at index {} and got {}", what.name,
                                rank, ranks, expected, at.index, receive[at.index]));
    }
}

bool has_neighbours(const operation& what) {
  return what.sends == parts::neighbours || what.receives == parts::neighbours;
}

const operation& operation_named(std::string_view name) {
  return *std::ranges::find(all_operations(), name, &operation::name);
}

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> names;
  for (const operation& each : all_operations()) names.push_back(each.name);
  return names;
}

std::size_t memory_bytes(const operation& what, std::size_t size_bytes, int ranks) {
  const std::size_t count = size_bytes / sizeof(double);
  std::size_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<int> around = neighbours_of(rank, ranks);
    most = std::max(most, send_layout(what, count, rank, ranks, around).elements +
                              receive_layout(what, count, rank, ranks, around).elements);
  }
  return sizeof(double) * most;
}

}  // namespace plait::network::nbc
