// SPDX-License-Identifier: BSD-3-Clause
/// Places where a Fortran program calls MPI.  The Fortran bindings are functions of the MPI library
/// that call its C functions, so a C wrapper would see the library as its caller.  Entry points
/// with the bindings' own names, made at build time, keep their return address and jump on with all
/// arguments as they are.
#pragma once

extern "C" {
/// The last Fortran call of this thread; null once it was asked for.
extern thread_local void* plait_attach_fortran_site
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/// The library's own entry points, in the order of `fortran_names`.
extern void* plait_attach_fortran_real[] __attribute__((visibility("hidden")));
}

namespace plait::attach {

extern const char* const fortran_names[];
extern const int fortran_count;

/// Finds the library's entry points.  When this library is loaded, and again when MPI starts, for
/// bindings that were loaded later.
void find_fortran_entries() noexcept;

/// Returns true if an address is in one of the MPI library's Fortran bindings.
[[nodiscard]] bool is_in_fortran_binding(const void* address) noexcept;

}  // namespace plait::attach
