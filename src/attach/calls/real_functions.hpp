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

/// Finds the function, or ends the program with a sentence.
[[nodiscard]] void* find_real(call_id which) noexcept;
/// Finds a symbol of the MPI library; null if there is none.
[[nodiscard]] void* find_in_library(const char* name) noexcept;

template <class Function>
[[nodiscard]] inline Function real_function(call_id which) noexcept {
  void* found = real_functions[static_cast<int>(which)];
  if (found == nullptr) [[unlikely]]
    found = find_real(which);
  return reinterpret_cast<Function>(found);
}
#define PLAIT_REAL(name) plait::attach::real_function<decltype(&name)>(plait::attach::call_id::name)

/// The next function of the name: of another preloaded library if one has it, which then sees what
/// the program calls and calls PMPI_X itself.
extern void* next_functions[call_count];
[[nodiscard]] void* find_next(call_id which) noexcept;

template <class Function>
[[nodiscard]] inline Function next_function(call_id which) noexcept {
  void* found = next_functions[static_cast<int>(which)];
  if (found == nullptr) [[unlikely]]
    found = find_next(which);
  return reinterpret_cast<Function>(found);
}
#define PLAIT_NEXT(name) plait::attach::next_function<decltype(&name)>(plait::attach::call_id::name)

/// Finds all functions that the library has.  A look-up takes some 15 us, which would be counted as
/// computation before the program's first call of each function.
void find_functions() noexcept;

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
  MPI_Message message_no_proc;
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
