// SPDX-License-Identifier: BSD-3-Clause
/// Turns MPI return codes into exceptions.
#pragma once

#include <string>

#include <mpi.h>
#include <plait/core/error.hpp>

namespace plait {

[[nodiscard]] inline std::string mpi_error_text(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  return {text, static_cast<std::size_t>(length)};
}

[[noreturn, gnu::cold]] inline void throw_mpi_error(int code, const char* call) {
  throw error(std::string(call) + ": " + mpi_error_text(code));
}
/// Throws `error` with the name of the call unless `code` is MPI_SUCCESS.
inline void mpi_call(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw_mpi_error(code, call);
}

}  // namespace plait
