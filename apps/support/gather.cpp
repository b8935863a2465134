// SPDX-License-Identifier: BSD-3-Clause
#include "gather.hpp"

#include <plait/comm/mpi.hpp>

#include "mpi_check.hpp"

namespace plait::app {

std::vector<json> gather(environment& env, const json& value) {
  std::vector<json> result;
  for (const std::string& text : env.gather(value.dump())) result.push_back(json::parse(text));
  return result;
}

std::string broadcast(environment& env, const std::string& text) {
  return env.broadcast(text);
}

double maximum(environment& env, double value) {
  double result = 0;
  check_mpi(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, native(env)), "MPI_Allreduce");
  return result;
}

double sum(environment& env, double value) {
  double result = 0;
  check_mpi(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_SUM, native(env)), "MPI_Allreduce");
  return result;
}

bool all_of(environment& env, bool value) {
  const int mine = value ? 1 : 0;
  int result = 0;
  check_mpi(MPI_Allreduce(&mine, &result, 1, MPI_INT, MPI_MIN, native(env)), "MPI_Allreduce");
  return result != 0;
}

std::vector<double> all_values(environment& env, double value) {
  std::vector<double> result(static_cast<std::size_t>(env.size()));
  check_mpi(MPI_Allgather(&value, 1, MPI_DOUBLE, result.data(), 1, MPI_DOUBLE, native(env)),
            "MPI_Allgather");
  return result;
}

}  // namespace plait::app
