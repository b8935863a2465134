// SPDX-License-Identifier: BSD-3-Clause
/// The first two ranks take strict turns: one runs, the other sleeps in the kernel and calls
/// nothing of MPI.  So what a rank waits for is there when its turn begins, and counts repeat.
/// Further ranks sleep meanwhile, too.
#pragma once

#include <plait/plait.hpp>

namespace plait::bench::counts {

class turns {
 public:
  /// Collective over the ranks of one node, two or more.  Errors: plait::error where pipes cannot
  /// be made.
  explicit turns(environment& env);
  ~turns();
  turns(const turns&) = delete;
  turns& operator=(const turns&) = delete;

  /// Runs `body`, which has turns, on the first two ranks, while the others sleep.  Collective.
  template <class Body>
  void among_two(Body&& body) {
    if (env_.rank() < 2) {
      body();
      if (env_.rank() == 0) wake_others();
    } else {
      wait();
    }
  }
  /// Runs `what` on that rank, while the other waits.  By the two.
  template <class What>
  void of(int rank, What&& what) {
    if (rank == env_.rank()) {
      what();
      hand_over();
    } else {
      wait();
    }
  }

 private:
  void hand_over() const;
  void wake_others() const;
  void wait() const;

  environment& env_;
  int own_ = -1;
  int other_ = -1;
  int others_ = -1;  ///< of all ranks but the first two, which share it
};

}  // namespace plait::bench::counts
