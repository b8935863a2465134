// SPDX-License-Identifier: BSD-3-Clause
/// Places where a Fortran program calls MPI.  The Fortran bindings are functions of the MPI library
/// that call its C functions, so a C wrapper would see the library as its caller.  Entry points
/// with the bindings' own names, made at build time, keep their return address and jump on with all
/// arguments as they are.
#pragma once

#include "attach/calls.hpp"
#include "attach/calls/call_place.hpp"

extern "C" {
/// A call of a Fortran binding, as its entry point saw it.
struct plait_attach_fortran_call {
  std::uintptr_t address = 0;  ///< the return address; 0: none yet
  std::uintptr_t stack = 0;    ///< where on the stack it is
  std::uintptr_t frame = 0;    ///< the frame pointer register
  std::uint64_t entry = 0;     ///< of `fortran_names`
};
/// The last one of this thread.
extern thread_local constinit plait_attach_fortran_call plait_attach_fortran
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/// The library's own entry points, in the order of `fortran_names`.
extern void* plait_attach_fortran_real[] __attribute__((visibility("hidden")));
}

namespace plait::attach {

extern const char* const fortran_names[];
extern const call_id fortran_calls[];  ///< what each entry point is there to call
extern const int fortran_count;

/// Finds the library's entry points.  When this library is loaded, and again when MPI starts, for
/// bindings that were loaded later.
void find_fortran_entries() noexcept;

/// Returns true if a Fortran binding makes this call for purposes of its own: it asks for a size,
/// or makes a datatype.  Else `from` becomes the place in the program.
[[nodiscard]] bool is_of_fortran_binding(call_id id, call_place& from) noexcept;

}  // namespace plait::attach
