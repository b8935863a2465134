// SPDX-License-Identifier: BSD-3-Clause
/// Finds S: the longest message that leaves before its receive is posted.
#pragma once

#include <cstddef>
#include <optional>

#include <plait/plait.hpp>

namespace plait::network::loggp {

/// The longest message that is tried.
inline constexpr std::size_t longest_tried_bytes = std::size_t{4} << 20;

/// Returns S to a byte; nothing where `longest_tried_bytes` leave at once, too.  A message of one
/// byte is taken to do so.
///
/// Rank 0 sends while rank 1 has no receive for the message, and sees whether the send completes
/// all the same.  Rank 1 posts the receive once rank 0 has told what it saw, so no clock of rank 1
/// takes part.  Found by bisection.  Collective over two ranks.  Errors: `error` of MPI.
[[nodiscard]] std::optional<double> measured_eager_limit_bytes(environment& env);

}  // namespace plait::network::loggp
