// SPDX-License-Identifier: BSD-3-Clause
#include "processor_share.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>
#include <utility>

#include "measure/base/gather.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/base/quiet_barrier.hpp"
#include "measure/load/transport_cost.hpp"
#include "measure/load/work.hpp"
#include "measure/rows/alone.hpp"
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

/// Processor time that the transport takes from computing, of a call, the mean over the ranks that
/// take part; not finite where it cannot be told.  `data` is null on the others.
double transport_of_call_s(environment& env, buffers* data, double call_s, int ranks) {
  constexpr long units_of_a_count = 3000;  // some 100 µs
  measure::values counted = measure::initial_values();
  const std::vector<double> own = measure::transport_cpu_s(
      env, {.work = [&] { measure::work(counted, units_of_a_count); },
            .exchange = [data](std::chrono::microseconds) { call_sparsely(*data); },
            .exchange_s = call_s,
            .sample_s = 0.06,
            .rounds = 1,
            .takes_part = data != nullptr,
            .some_sleep = ranks < env.size()});
  return measure::sum(env, data != nullptr ? own.front() : 0) / ranks;
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
  std::optional<buffers> data;
  if (communicator != MPI_COMM_NULL) {
    data.emplace(what, size_bytes, communicator);
    own = measured(*data, sample_s);
  }
  measure::quiet_barrier(env);
  const int ranks = static_cast<int>(std::lround(measure::sum(env, data ? 1 : 0)));
  const double call_s = measure::sum(env, own.call_s) / ranks;
  const double spent_s = measure::sum(env, own.processor_s) / ranks;
  measure::json figures{{"processor_percent", 100 * spent_s / call_s}, {"call_us", 1e6 * call_s}};
  if (measure::transport_is_measurable(call_s)) {
    const double transport_s = transport_of_call_s(env, data ? &*data : nullptr, call_s, ranks);
    if (std::isfinite(transport_s)) figures["transport_percent"] = 100 * transport_s / call_s;
  }
  return env.rank() == 0 ? figures : measure::json::object();
}

}  // namespace plait::network::nbc
