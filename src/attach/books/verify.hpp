// SPDX-License-Identifier: BSD-3-Clause
/// Finds send buffers that the program changes before the send is complete: allowed by no MPI, and
/// without effect on many, until something sends later.
#pragma once

#include <cstdint>
#include <optional>

#include "attach/calls/call.hpp"

namespace plait::attach {

/// Keeps what is needed to read the send's elements: the program may free its datatype before the
/// send is complete.
void keep_type(request_data& sent) noexcept;
void free_type(request_data& sent) noexcept;
/// Makes a request of this library's own.
void start_own_request(MPI_Request& made) noexcept;
/// Gives a request that is complete a handle of its own, so that its wait is known from others.
void give_own_handle(MPI_Request& request) noexcept;
/// A checksum of what the request sends; none where that cannot be read.
[[nodiscard]] std::optional<std::uint64_t> checksum_of(const request_data& sent) noexcept;
/// Notes the two calls if the buffer of a send is not what it was.  Once for each send.
void verify_at_wait(request_data& sent, const call& here) noexcept;

}  // namespace plait::attach
