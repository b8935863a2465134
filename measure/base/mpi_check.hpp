// SPDX-License-Identifier: BSD-3-Clause
/// Turns the return codes of MPI into exceptions, for the plain-MPI parts of the applications.
#pragma once

#include <string>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

namespace plait::measure {

/// Throws plait::error with MPI's own text unless `code` is MPI_SUCCESS.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw error(std::string(call) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace plait::measure
