// SPDX-License-Identifier: BSD-3-Clause
#include "comm/library_yields.hpp"

#include <array>

#include <mpi.h>

namespace plait {

#ifdef OPEN_MPI
bool library_yields() noexcept {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return false;
  int index = 0;
  int count = 0;
  MPI_T_cvar_handle handle{};
  std::array<int, 16> value{};  // a bool of the library's, in its first bytes
  const bool known = MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
                     MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS;
  if (known) {
    MPI_T_cvar_read(handle, value.data());
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return known && value.front() != 0;
}
#else
bool library_yields() noexcept {
  return false;
}
#endif

}  // namespace plait
