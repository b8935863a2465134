// SPDX-License-Identifier: BSD-3-Clause
/// Computes what follows from the figures of a session: bound, attainable, hidden fraction.
/// Arithmetic.
#pragma once

#include <string>

#include "measured_rows.hpp"

namespace plait::measure {

/// The row of the contestant that hides nothing: the base of the hidden fraction.
inline constexpr const char* blocking_row = "blocking";
/// The row of what is measured alone.
inline constexpr const char* alone_row = "alone";

/// Adds rows "bound" and "attainable" (where the transport was measured) in every column of the row
/// `alone_row`, with the remarks of that row.  Its remark "wire_us", what the bytes take on the
/// link, stands for the communication where it is there.
void add_limits(json& rows);

/// Adds the hidden fraction of `cell` to it: (T_base - T) / (T_base - bound) by the medians of the
/// row `base` and the bound, for each of its samples.  Adds nothing where there is nothing to hide.
void add_hidden_fraction(json& cell, const json& rows, const std::string& column,
                         const std::string& base = blocking_row);

}  // namespace plait::measure
