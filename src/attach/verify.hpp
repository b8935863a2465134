// SPDX-License-Identifier: BSD-3-Clause
/// Finds send buffers that the program changes before the send is complete: allowed by no MPI, and
/// without effect on many, until something sends later.
#pragma once

#include <cstdint>

#include "attach/call.hpp"

namespace plait::attach {

/// A checksum of what the request sends.
[[nodiscard]] std::uint64_t checksum_of(const request_data& sent) noexcept;
/// Notes the two calls if the buffer is not what it was.
void verify_at_wait(const request_data& sent, const call& here) noexcept;

}  // namespace plait::attach
