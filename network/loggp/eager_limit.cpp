// SPDX-License-Identifier: BSD-3-Clause
#include "eager_limit.hpp"

#include <vector>

#include "measure/base/mpi_check.hpp"

namespace plait::network::loggp {
namespace {

using measure::check_mpi;

constexpr int tag_of_trial = 1;
constexpr int tag_of_answer = 2;
/// For so long a send may take to complete, which a slow link takes for 64 KiB several times over.
constexpr double patience_s = 20e-3;
/// A message leaves at once if it does in one of so many trials: rank 1 may lack a core for a
/// while.
constexpr int trials = 3;
constexpr int searches = 3;

[[nodiscard]] int completes(MPI_Request& request) {
  const ticks until = now_ticks() + seconds_to_ticks(patience_s);
  int done = 0;
  do {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  } while (done == 0 && now_ticks() < until);
  return done;
}

/// Returns on both ranks whether a message leaves without its receive.
[[nodiscard]] bool leaves_at_once(MPI_Comm among, int rank, std::vector<char>& bytes, int size) {
  int done = 0;
  if (rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(bytes.data(), size, MPI_CHAR, 1, tag_of_trial, among, &request),
              "MPI_Isend");
    done = completes(request);
    check_mpi(MPI_Send(&done, 1, MPI_INT, 1, tag_of_answer, among), "MPI_Send");
    check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  } else {
    check_mpi(MPI_Recv(&done, 1, MPI_INT, 0, tag_of_answer, among, MPI_STATUS_IGNORE), "MPI_Recv");
    check_mpi(MPI_Recv(bytes.data(), size, MPI_CHAR, 0, tag_of_trial, among, MPI_STATUS_IGNORE),
              "MPI_Recv");
  }
  return done != 0;
}

}  // namespace

eager_limit measured_eager_limit(environment& env) {
  std::vector<char> bytes(longest_tried_bytes);
  const auto leaves = [&](std::size_t size) {
    bool did = false;
    for (int trial = 0; trial < trials && !did; ++trial)
      did = leaves_at_once(native(env), env.rank(), bytes, static_cast<int>(size));
    return did;
  };
  if (leaves(longest_tried_bytes)) return {};
  for (int search = 0; search < searches; ++search) {
    std::size_t leaves_surely = 1;
    std::size_t waits = longest_tried_bytes;
    while (waits - leaves_surely > 1) {
      const std::size_t middle = leaves_surely + (waits - leaves_surely) / 2;
      (leaves(middle) ? leaves_surely : waits) = middle;
    }
    const bool still_leaves = leaves(leaves_surely);
    if (!leaves(waits) && still_leaves) return {.bytes = static_cast<double>(leaves_surely)};
  }
  return {.is_sure = false};
}

}  // namespace plait::network::loggp
