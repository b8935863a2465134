// SPDX-License-Identifier: BSD-3-Clause
/// Keeps the handlers of errors that a process had before an environment, and gives them back.
#pragma once

#include <exception>

#include <mpi.h>

#include "comm/mpi_call.hpp"

namespace plait {

/// Replaces the handlers that belong to the whole process, and puts them back at its end: but not
/// over one that the program has set meanwhile.
class error_handlers {
 public:
  explicit error_handlers(std::terminate_handler own)
      : own_(own), terminate_before_(std::set_terminate(own)) {}
  ~error_handlers() {
    give_back_world();
    if (std::get_terminate() == own_) std::set_terminate(terminate_before_);
  }
  error_handlers(const error_handlers&) = delete;
  error_handlers& operator=(const error_handlers&) = delete;

  /// Has errors of MPI_COMM_WORLD returned.  Some libraries report the errors of any communicator
  /// to that handler.  Errors: MPI errors.
  void take_world() {
    mpi_call(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world_before_), "MPI_Comm_get_errhandler");
    mpi_call(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  /// Before MPI ends.
  void give_back_world() noexcept {
    if (world_before_ == MPI_ERRHANDLER_NULL) return;
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    if (now == MPI_ERRORS_RETURN) MPI_Comm_set_errhandler(MPI_COMM_WORLD, world_before_);
    MPI_Errhandler_free(&now);
    MPI_Errhandler_free(&world_before_);
  }

 private:
  std::terminate_handler own_;
  std::terminate_handler terminate_before_;
  MPI_Errhandler world_before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace plait
