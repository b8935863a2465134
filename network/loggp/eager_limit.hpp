// SPDX-License-Identifier: BSD-3-Clause
/// Finds S: the longest message that leaves before its receive is posted.
#pragma once

#include <cstddef>
#include <optional>

#include <plait/plait.hpp>

namespace plait::network::loggp {

/// The longest message that is tried.
inline constexpr std::size_t longest_tried_bytes = std::size_t{4} << 20;

/// Holds S to a byte, or nothing where `longest_tried_bytes` leave at once, too.
struct eager_limit {
  std::optional<double> bytes;
  bool is_sure = true;  ///< false: tries of one size differ, and there is no S
};

/// Finds S.  A message of one byte is taken to leave at once.
///
/// Rank 0 sends while rank 1 has no receive for the message, and sees whether the send completes
/// all the same.  Rank 1 posts the receive once rank 0 has told what it saw, so no clock of rank 1
/// takes part.  Found by bisection, which is done again where a further try of S or of S + 1 bytes
/// says otherwise, as one wrong step makes another S.  Collective over two ranks.  Errors: `error`
/// of MPI.
[[nodiscard]] eager_limit measured_eager_limit(environment& env);

}  // namespace plait::network::loggp
