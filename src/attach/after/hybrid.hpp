// SPDX-License-Identifier: BSD-3-Clause
/// Ranks with OpenMP threads: where the time of all threads goes, and what efficiency is lost
/// where.
#pragma once

#include <cstdint>
#include <vector>

#include "attach/books/profile_data.hpp"

namespace plait::attach {

/// Times of a rank's OpenMP threads, each from the begin of the run to its end; or sums of ranks.
struct thread_times {
  int threads = 0;  ///< of the largest team; 0: none was formed
  std::uint64_t teams = 0;
  double useful_s = 0;   ///< in the program's code, in teams and outside
  double mpi_s = 0;      ///< in MPI, and that of threads that have nothing to do meanwhile
  double unequal_s = 0;  ///< at barriers, for slower threads
  double scheduling_s =
      0;  ///< as long on each thread of a team: to begin and end it, and waits by turns
  double serial_s = 0;  ///< nothing to do while one thread, or a smaller team, computes

  [[nodiscard]] double all_s() const noexcept {
    return useful_s + mpi_s + unequal_s + scheduling_s + serial_s;
  }
  void add(const thread_times& other) noexcept;
};
[[nodiscard]] thread_times thread_times_of(const profile_header& h) noexcept;

/// Efficiencies of a job: `parallel` is `mpi` times `openmp`, and each of these is the product of
/// those below it.  [Those of MPI are TALP's, hybrid model 2; OpenMP's are TALP's of the time
/// outside MPI]
struct hybrid_metrics {
  double parallel = 1;
  double mpi = 1;
  double mpi_load_balance = 1;  ///< within nodes times between nodes
  double mpi_balance_within = 1;
  double mpi_balance_between = 1;
  double mpi_communication = 1;
  double openmp = 1;
  double openmp_load_balance = 1;
  double openmp_scheduling = 1;
  double openmp_serial = 1;
};

struct rank_result;
/// Returns the sum of all ranks; of no thread where no rank has formed a team of two.  A rank
/// without teams has one thread.
[[nodiscard]] thread_times sum_of_threads(const std::vector<rank_result>& ranks) noexcept;
/// `all`: `sum_of_threads`.
[[nodiscard]] hybrid_metrics hybrid_of(const std::vector<rank_result>& ranks,
                                       const thread_times& all, double wall_s);

}  // namespace plait::attach
