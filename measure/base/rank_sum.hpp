// SPDX-License-Identifier: BSD-3-Clause
/// Sums over all ranks whose bits do not depend on who adds them up.  A rank's addend has a place
/// of its own in a vector that is 0 elsewhere; however a library combines such vectors, zeros
/// change nothing; and what comes out is added in the order of ranks.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

namespace plait::measure {

/// Adds one number of each rank by MPI_Allreduce: every rank has the same bits.  Blocks.
[[nodiscard]] double sum_over_ranks(MPI_Comm communicator, double own);

/// Adds one number of each rank by MPI_Iallreduce, with the bits of `sum_over_ranks`.
class open_rank_sum {
 public:
  explicit open_rank_sum(MPI_Comm communicator);
  open_rank_sum(const open_rank_sum&) = delete;
  open_rank_sum& operator=(const open_rank_sum&) = delete;

  /// Begins a sum.  Precondition: none is under way.
  void start(double own);
  /// Lets the library progress.  Returns whether no sum is under way.
  [[nodiscard]] bool test();
  /// Returns the last sum, once `test` has said that it is there.
  [[nodiscard]] double total() const;

 private:
  MPI_Comm communicator_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::size_t rank_ = 0;
  std::vector<double> places_;  ///< by rank
};

/// Says what `sum_tasks` add up.
struct sum_options {
  int count = 1;           ///< sums at once
  bool is_urgent = false;  ///< tasks are of high priority
};

/// Sums as tasks: of the parts of a rank in their order, then of ranks in theirs.
class sum_tasks {
 public:
  sum_tasks(environment& env, task_name name, const sum_options& options = {});

  /// Submits the sums of `parts`, `options.count` numbers each, and a task use(state, sums).
  template <class State, class Use>
  void submit(runtime& rt, const std::vector<double>& parts, State& state, Use use) {
    submit_sums(rt, parts);
    auto last = rt.task(
        "use sum",
        [](const std::vector<double>& places, State& to, int count, Use then) {
          then(to, std::span<const double>(in_rank_order(places, count)));
        },
        in(places_), inout(state), options_.count, std::move(use));
    if (options_.is_urgent) last.priority(high);
  }

 private:
  void submit_sums(runtime& rt, const std::vector<double>& parts);
  [[nodiscard]] static std::vector<double> in_rank_order(const std::vector<double>& places,
                                                         int count);

  int rank_;
  task_name name_;
  sum_options options_;
  std::vector<double> places_;  ///< by sum and rank
};

}  // namespace plait::measure
