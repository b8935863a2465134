// SPDX-License-Identifier: BSD-3-Clause
#include "comm/library_yields.hpp"

#include <cstdlib>
#include <cstring>

#include <mpi.h>

namespace plait {

#if defined(OPEN_MPI) || defined(MPI_ABI_VERSION)  // which Open MPI may stand behind
/// By the settings that the user and the launcher hand to a process.  MPI_T knows it too, but opens
/// all of the library's components first, which takes 0.1 s.
bool library_yields() noexcept {
  for (const char* name : {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return std::strchr("1tTyY", *value) != nullptr;
  }
  return false;
}
#else
bool library_yields() noexcept {
  return false;
}
#endif

}  // namespace plait
