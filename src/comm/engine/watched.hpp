// SPDX-License-Identifier: BSD-3-Clause
/// Polls for what is no operation: requests of the program's own, and what else a task may wait for
/// inside an MPI call.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>

#include "comm/followed_requests.hpp"

namespace plait {

/// Holds a task's wait for all of some requests, none of which has been tested to the end.  They
/// are tested together with those of other tasks, and what MPI says of each is written as it
/// completes, where MPI_Waitall would write it.
struct awaited_requests {
  std::span<MPI_Request> requests;
  MPI_Status* statuses = nullptr;  ///< side by side with `requests`; null: ignored
  int code = MPI_SUCCESS;          ///< what MPI_Wait or MPI_Waitall returns
  std::size_t left = 0;            ///< those that have not completed
};

/// Requests of all tasks side by side, for one call of MPI_Testsome: to test them one by one costs
/// an attempt of MPI's to progress each time.  [10,000 tasks in MPI_Recv: 5 ms a look, 60 us]  What
/// is no request is asked one by one.  Holder of the token only.
class watched_set {
 public:
  [[nodiscard]] bool empty() const noexcept { return waits_ == 0; }
  void add(awaited& what);
  /// Tests all, and takes out those that have ended; `give_up`: all, marked as given up if they
  /// have not ended.  Nobody is told.
  [[nodiscard]] std::vector<awaited*> take_ended(bool give_up);
  /// Returns what a look at all of them costs, about.
  [[nodiscard]] double look_s() const noexcept {
    return 5e-9 * static_cast<double>(requests_.purposes().size()) +
           3e-7 * static_cast<double>(asked_.size());
  }

 private:
  struct place {
    awaited* of;
    std::size_t index;
  };
  void add_requests(awaited& what);
  void test_requests();
  void note(const place& of, MPI_Request request, const MPI_Status& status, int code);
  void ask(bool give_up);
  void give_up_requests();

  std::size_t waits_ = 0;
  std::vector<awaited*> asked_;
  followed_requests<place> requests_;  ///< in the order in which they came
  std::vector<awaited*> ended_;        ///< and not taken
};

}  // namespace plait
