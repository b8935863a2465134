// SPDX-License-Identifier: BSD-3-Clause
/// Tells memory of an accelerator from the host's.
#pragma once

namespace plait::attach {

/// Returns true if CUDA or HIP is in this process, and says that an address is of a device.  One
/// thread at a time.
[[nodiscard]] bool is_of_device(const void* address) noexcept;

}  // namespace plait::attach
