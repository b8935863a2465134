// SPDX-License-Identifier: BSD-3-Clause
#include "processor_share.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "measure/gather.hpp"
#include "measure/mpi_check.hpp"
#include "measure/quiet_barrier.hpp"
#include "ways.hpp"

namespace plait::network::nbc {
namespace {

using measure::check_mpi;

// System and user time of all threads of this process.
double processor_s() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct share {
  double call_s = 0;
  double processor_s = 0;
};

int calls_in(buffers& data, double sample_s) {
  call_blocking(data);
  const ticks start = now_ticks();
  call_blocking(data);
  double once_s = ticks_to_seconds(now_ticks() - start);
  check_mpi(MPI_Bcast(&once_s, 1, MPI_DOUBLE, 0, data.communicator), "MPI_Bcast");
  return static_cast<int>(std::clamp(sample_s / once_s, 3.0, 1e5));
}

share measured(buffers& data, double sample_s) {
  const int calls = calls_in(data, sample_s);
  data.renew();
  check_mpi(MPI_Barrier(data.communicator), "MPI_Barrier");
  const double processor_before_s = processor_s();
  const ticks start = now_ticks();
  for (int i = 0; i < calls; ++i) call_blocking(data);
  const double wall_s = ticks_to_seconds(now_ticks() - start);
  const double spent_s = processor_s() - processor_before_s;
  data.expect_right();
  return {wall_s / calls, spent_s / calls};
}

}  // namespace

communicators::communicators(environment& env, std::vector<int> counts)
    : counts_(std::move(counts)) {
  for (const int count : counts_) {
    MPI_Comm one = MPI_COMM_NULL;
    const int colour = env.rank() < count ? 0 : MPI_UNDEFINED;
    check_mpi(MPI_Comm_split(native(env), colour, env.rank(), &one), "MPI_Comm_split");
    if (one != MPI_COMM_NULL)
      check_mpi(MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    all_.push_back(one);
  }
}

communicators::~communicators() {
  for (MPI_Comm& one : all_) {
    if (one != MPI_COMM_NULL) MPI_Comm_free(&one);
  }
}

std::vector<int> usual_counts(int ranks) {
  std::vector<int> counts;
  for (int count = 2; count < ranks; count *= 2) counts.push_back(count);
  counts.push_back(ranks);
  return counts;
}

measure::json measure_processor_share(environment& env, const operation& what,
                                      std::size_t size_bytes, MPI_Comm communicator,
                                      double sample_s) {
  share own;
  int ranks = 0;
  if (communicator != MPI_COMM_NULL) {
    buffers data(what, size_bytes, communicator);
    own = measured(data, sample_s);
    ranks = data.ranks;
  }
  measure::quiet_barrier(env);
  const double call_s = measure::sum(env, own.call_s);
  const double spent_s = measure::sum(env, own.processor_s);
  if (env.rank() != 0) return measure::json::object();
  return {{"processor_percent", 100 * spent_s / call_s}, {"call_us", 1e6 * call_s / ranks}};
}

}  // namespace plait::network::nbc
