// SPDX-License-Identifier: BSD-3-Clause
#include "rank_sum.hpp"

#include <algorithm>
#include <numeric>

#include "mpi_check.hpp"

namespace plait::measure {
namespace {

/// Adds up every `count`-th part, each such sum in this rank's place among its ranks.
void add_up(const std::vector<double>& parts, std::vector<double>& places, int count, int rank) {
  const std::size_t sums = static_cast<std::size_t>(count), ranks = places.size() / sums;
  std::ranges::fill(places, 0.0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    places[i % sums * ranks + static_cast<std::size_t>(rank)] += parts[i];
}

}  // namespace

double sum_over_ranks(MPI_Comm communicator, double own) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  std::vector<double> places(static_cast<std::size_t>(ranks));
  places[static_cast<std::size_t>(rank)] = own;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, places.data(), ranks, MPI_DOUBLE, MPI_SUM, communicator),
            "MPI_Allreduce");
  return std::accumulate(places.begin(), places.end(), 0.0);
}

open_rank_sum::open_rank_sum(MPI_Comm communicator) : communicator_(communicator) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  rank_ = static_cast<std::size_t>(rank);
  places_.resize(static_cast<std::size_t>(ranks));
}

void open_rank_sum::start(double own) {
  PLAIT_EXPECTS(request_ == MPI_REQUEST_NULL, "one sum at a time");
  std::ranges::fill(places_, 0.0);
  places_[rank_] = own;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, places_.data(), static_cast<int>(places_.size()),
                           MPI_DOUBLE, MPI_SUM, communicator_, &request_),
            "MPI_Iallreduce");
}

bool open_rank_sum::test() {
  int is_over = 0;
  check_mpi(MPI_Test(&request_, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
  return is_over != 0;
}

double open_rank_sum::total() const {
  return std::accumulate(places_.begin(), places_.end(), 0.0);
}

sum_tasks::sum_tasks(environment& env, task_name name, const sum_options& options)
    : rank_(env.rank()),
      name_(name),
      options_(options),
      places_(static_cast<std::size_t>(options.count * env.size())) {}

void sum_tasks::submit_sums(runtime& rt, const std::vector<double>& parts) {
  {
    auto first = rt.task("add up", add_up, in(parts), out(places_), options_.count, rank_);
    if (options_.is_urgent) first.priority(high);
  }
  rt.allreduce(name_, inout(places_));
}

std::vector<double> sum_tasks::in_rank_order(const std::vector<double>& places, int count) {
  const auto ranks = std::ssize(places) / count;
  std::vector<double> sums;
  for (auto first = places.begin(); first != places.end(); first += ranks)
    sums.push_back(std::accumulate(first, first + ranks, 0.0));
  return sums;
}

}  // namespace plait::measure
