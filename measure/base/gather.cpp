// SPDX-License-Identifier: BSD-3-Clause
#include "gather.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <plait/comm/mpi.hpp>

#include "mpi_check.hpp"
#include "statistics.hpp"

namespace plait::measure {
namespace {

/// Reduces one value to all ranks, under the token: engines of this rank may be at work.  Begins
/// when all ranks are there, for meanwhile engines have to move on.
template <class T>
T reduced(environment& env, T value, MPI_Datatype type, MPI_Op operation) {
  env.barrier();
  const mpi_token_guard guard(env.token());
  T result{};
  check_mpi(MPI_Allreduce(&value, &result, 1, type, operation, native(env)), "MPI_Allreduce");
  return result;
}

/// A rank of which nothing is known is slower than none.
double median_or_least(const std::vector<double>& samples) {
  const double value = median(samples);
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

}  // namespace

std::vector<json> gather(environment& env, const json& value) {
  std::vector<json> result;
  for (const std::string& text : env.gather(value.dump())) result.push_back(json::parse(text));
  return result;
}

std::string broadcast(environment& env, const std::string& text) {
  return env.broadcast(text);
}

double maximum(environment& env, double value) {
  return reduced(env, value, MPI_DOUBLE, MPI_MAX);
}

double sum(environment& env, double value) {
  return reduced(env, value, MPI_DOUBLE, MPI_SUM);
}

bool all_of(environment& env, bool value) {
  return reduced(env, value ? 1 : 0, MPI_INT, MPI_MIN) != 0;
}

std::vector<double> all_values(environment& env, double value) {
  std::vector<double> result(static_cast<std::size_t>(env.size()));
  check_mpi(MPI_Allgather(&value, 1, MPI_DOUBLE, result.data(), 1, MPI_DOUBLE, native(env)),
            "MPI_Allgather");
  return result;
}

std::vector<double> of_slowest_rank(environment& env, const std::vector<double>& own) {
  std::vector<double> slowest;
  for (const json& rank : gather(env, own)) {
    std::vector<double> samples;
    for (const json& value : rank)
      samples.push_back(value.is_null() ? std::nan("") : value.get<double>());
    if (slowest.empty() || median_or_least(samples) > median_or_least(slowest))
      slowest = std::move(samples);
  }
  return slowest;
}

double busiest_host_bytes(environment& env, double bytes) {
  const std::vector<double> by_rank = all_values(env, bytes);
  std::map<std::string, double> by_host;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    by_host[env.hosts()[rank]] += by_rank[rank];
  return std::ranges::max_element(by_host, {}, [](auto& host) { return host.second; })->second;
}

}  // namespace plait::measure
