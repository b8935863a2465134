// SPDX-License-Identifier: BSD-3-Clause
/// Finds the file that the loader has taken code from, with every C library of GNU.
#pragma once

#include <cstddef>

#include <dlfcn.h>
#include <link.h>

namespace plait::attach {

/// Returns the file that has the code at an address; null: none.  Thread-safe.  With glibc 2.35 and
/// newer no lock is taken.
[[nodiscard]] const link_map* file_of(const void* code) noexcept;

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // glibc's headers are 2.35's or newer
/// Finds what `_dl_find_object` does in the files' program headers; returns whether there is such a
/// file. Thread-safe; takes the loader's lock.
[[nodiscard]] bool find_by_headers(const void* code, dl_find_object& found) noexcept;
#endif

}  // namespace plait::attach
