// SPDX-License-Identifier: BSD-3-Clause
/// The functions and constants of the MPI library underneath, found by name: this library is loaded
/// into programs before it is known whether they use MPI at all, so it links to none.
#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include "attach/calls.hpp"

namespace plait::attach {

extern void* real_functions[call_count];
/// The next functions of the same names: of another preloaded library if one has them, which then
/// sees what the program calls and calls PMPI_X itself.
extern void* next_functions[call_count];

/// Finds all functions, once, or ends the program with a sentence where there is none that is
/// wanted.  MPI_Init is the first to be wanted: a look-up takes some 15 us, and would be counted as
/// computation before a later call.
void find_functions(call_id wanted) noexcept;
/// Finds a symbol of the MPI library; null if there is none.
[[nodiscard]] void* find_in_library(const char* name) noexcept;

template <class Function>
[[nodiscard]] inline Function found_function(void* const* functions, call_id which) noexcept {
  void* const& found = functions[static_cast<int>(which)];
  if (found == nullptr) [[unlikely]]
    find_functions(which);
  return reinterpret_cast<Function>(found);
}
#define PLAIT_FOUND(functions, name) \
  plait::attach::found_function<decltype(&name)>(functions, plait::attach::call_id::name)
#define PLAIT_REAL(name) PLAIT_FOUND(plait::attach::real_functions, name)
#define PLAIT_NEXT(name) PLAIT_FOUND(plait::attach::next_functions, name)

/// A handle as a number.
template <class Handle>
[[nodiscard]] inline std::uint64_t number_of(Handle handle) noexcept {
  return (std::uint64_t)handle;  // a pointer or an integer, by the library
}

/// MPI's own constants.  Those of Open MPI are addresses in the library.
struct mpi_constants {
  MPI_Comm comm_world;
  MPI_Comm comm_self;
  MPI_Comm comm_null;
  MPI_Request request_null;
  MPI_Datatype byte;
  MPI_Message message_null;
};
extern mpi_constants constants;
/// Before MPI is used; any number of times.
void find_constants() noexcept;

/// Returns a sentence that says why the MPI library of this process is not the one this was built
/// for, or an empty text.
[[nodiscard]] std::string wrong_library();
/// Returns true if the program has the library, and started MPI in it.
[[nodiscard]] bool is_library_in_use() noexcept;

}  // namespace plait::attach
