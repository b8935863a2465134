// SPDX-License-Identifier: BSD-3-Clause
/// Memory that C++ has allocated in this process.  The MPI library is C, and does not count.
#pragma once

#include <cstddef>

namespace plait::bench::scale {

/// Returns the bytes that live, as the allocator rounds them.  Any thread.
[[nodiscard]] std::size_t allocated_bytes() noexcept;

}  // namespace plait::bench::scale
