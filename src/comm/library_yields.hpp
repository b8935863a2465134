// SPDX-License-Identifier: BSD-3-Clause
/// Says whether the MPI library gives the processor up by itself.
#pragma once

namespace plait {

/// Returns whether a test that finds nothing complete yields the core inside the MPI library: Open
/// MPI's does where the launcher has started more ranks than it has slots.  To yield once more
/// would double the time until a rank's next look.
[[nodiscard]] bool library_yields() noexcept;

}  // namespace plait
