// SPDX-License-Identifier: BSD-3-Clause
/// A benchmark's rows for whoever starts its program by hand; `plait bench` has a better table.
#pragma once

#include "measured_rows.hpp"

namespace plait::bench {

/// One line for each figure: column, figure, row, median and quartiles.
void print_rows(const json& rows);

}  // namespace plait::bench
