// SPDX-License-Identifier: BSD-3-Clause
/// Ranks that leave the environment after a failure, and those that would wait for them for ever.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <mpi.h>
#include <plait/comm/environment.hpp>
#include <plait/core/clock.hpp>

namespace plait {

class in_flight;

/// A rank that has given up its communication may go on as it likes, with another runtime or
/// without one.  What it has not sent when it leaves the environment never comes.  So it tells all
/// ranks that it leaves, and a rank that waits for one of its messages ends the job: that rank
/// alone knows that it waits.  Ranks that do not wait end as they would have ended.
///
/// Holder of the token, but for `tell`, which is the main thread's when no engine is left.
class departures {
 public:
  enum stage : int { leaves = 1, takes_part_in_nothing = 2 };

  /// Tells the other ranks.  The first stage comes before what ranks do together at the end.
  void tell(MPI_Comm all, int rank, int size, stage at) noexcept;

  /// Waits for all ranks, after what they do together: nobody sends on plait's communicators any
  /// more.  Takes what others have told and this rank has not received, since nobody else may: a
  /// later communicator can have the context of this one, and MPICH 5 ends the job where a
  /// communicator with messages is freed.  `has_told`: this rank has told both stages.  Collective
  /// over `leaving`, which has the ranks of `all` and no other use.
  void end_together(MPI_Comm leaving, MPI_Comm all, const environment& env, bool has_told,
                    int ranks_a_core);

  /// Returns true if it is time to call `look`, or `look_together`.
  [[nodiscard]] bool is_due(ticks now) const noexcept { return now >= next_; }
  [[nodiscard]] bool is_due_together(ticks now) const noexcept { return now >= next_together_; }
  /// Ends the job if an operation waits for a rank that has left.
  void look(const environment& env, MPI_Comm all, ticks now, const in_flight& waiting);
  /// Ends the job, where all ranks are waited for, if one has left.
  void look_together(const environment& env, MPI_Comm all, ticks now);

 private:
  struct departed {
    int rank;
    stage at;
    int looks = 0;  ///< that found an operation waiting for it, one after the other
    int looks_together = 0;
  };
  /// Returns false if nobody has left.
  [[nodiscard]] bool receive(MPI_Comm all);
  void receive_from(int rank, MPI_Comm all);
  void take_rest_of(int rank, MPI_Comm all);
  static void end_job(const environment& env, const departed& gone, const std::string& what);

  std::array<int, 3> told_{0, leaves, takes_part_in_nothing};
  std::vector<departed> gone_;
  ticks next_ = 0;
  ticks next_together_ = 0;
};

}  // namespace plait
