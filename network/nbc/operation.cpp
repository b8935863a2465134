// SPDX-License-Identifier: BSD-3-Clause
#include "operation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "measure/mpi_check.hpp"

namespace plait::network::nbc {
namespace {

constexpr double untouched = -1;

std::size_t send_elements(const operation& what, std::size_t count, int ranks) {
  if (what.in_place) return 0;
  return what.sends_to_each ? count * static_cast<std::size_t>(ranks) : count;
}

std::size_t receive_elements(const operation& what, std::size_t count, int ranks) {
  return what.receives_from_each ? count * static_cast<std::size_t>(ranks) : count;
}

}  // namespace

buffers::buffers(const operation& operation, std::size_t size_bytes, MPI_Comm on)
    : what(operation), communicator(on), count(size_bytes / sizeof(double)) {
  measure::check_mpi(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  measure::check_mpi(MPI_Comm_size(communicator, &ranks), "MPI_Comm_size");
  send.resize(send_elements(what, count, ranks));
  receive.resize(receive_elements(what, count, ranks));
  renew();
}

void buffers::renew() {
  std::ranges::fill(receive, untouched);
  std::vector<double>& sent = what.in_place && rank == 0 ? receive : send;
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = what.sent({rank, ranks, count, i});
}

void buffers::expect_right() const {
  for (std::size_t i = 0; i < receive.size(); ++i) {
    const double expected = what.expected({rank, ranks, count, i}).value_or(untouched);
    if (receive[i] != expected)
      throw error(fmt::format("{}: rank {} of {} expected {} at index {} and got {}", what.name,
                              rank, ranks, expected, i, receive[i]));
  }
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
  return sizeof(double) *
         (send_elements(what, count, ranks) + receive_elements(what, count, ranks));
}

}  // namespace plait::network::nbc
