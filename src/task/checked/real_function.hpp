// SPDX-License-Identifier: BSD-3-Clause
/// Finds functions of shared libraries by their names.
#pragma once

namespace plait::detail {

/// Returns the address of the function's own code, or null.  `dlsym(RTLD_DEFAULT, …)` may return an
/// entry of the program's procedure linkage table instead: in a program that is not
/// position-independent and takes the function's address, that entry is the address for everyone.
[[nodiscard]] void* real_function(const char* name) noexcept;

}  // namespace plait::detail
