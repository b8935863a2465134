// SPDX-License-Identifier: BSD-3-Clause
/// Two ranks that take strict turns: one runs, the other sleeps in the kernel and calls nothing of
/// MPI.  So what a rank waits for is there when its turn begins, and counts repeat.
#pragma once

#include <plait/plait.hpp>

namespace plait::bench::counts {

class turns {
 public:
  /// Collective over two ranks of one node.  Errors: plait::error where pipes cannot be made.
  explicit turns(environment& env);
  ~turns();
  turns(const turns&) = delete;
  turns& operator=(const turns&) = delete;

  /// Runs `what` on that rank, while the other waits.  Collective.
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
  void wait() const;

  environment& env_;
  int own_ = -1;
  int other_ = -1;
};

}  // namespace plait::bench::counts
