// SPDX-License-Identifier: BSD-3-Clause
/// The algorithms between Exchange and Pencils: how many messages, and when they leave.
#pragma once

#include <string>
#include <vector>

#include "common/row_blocks.hpp"

namespace ft_probe {

using spectral::index;
using spectral::row_blocks;

/// Exchange, or a point of "a continuum of algorithms … sending X messages of RN/X" [section 5.1].
struct point {
  std::string name;        ///< "exchange", "slabs", "pencils", or X
  bool overlapped = true;  ///< messages leave between computations
  index messages = 0;      ///< X of a rank, its own copy included; 0: of Slabs, -1: of Pencils

  /// Returns the pieces of a block that travel one by one: X / P, rounded up.  A block has no more
  /// pieces than rows.
  [[nodiscard]] index pieces(const row_blocks& of) const;
  /// Returns the messages of a rank with the largest blocks, its own copies included.
  [[nodiscard]] index messages_of(const row_blocks& of) const;
};

/// Parses "exchange,slabs,8,64,pencils".  Errors: usage_error naming `option`.
[[nodiscard]] std::vector<point> parse_points(const std::string& option, const std::string& text);

/// Errors: usage_error naming `option` where a rank cannot send so many messages.
void check_points(const std::string& option, const std::vector<point>& points,
                  const row_blocks& of);

}  // namespace ft_probe
