// SPDX-License-Identifier: BSD-3-Clause
/// Programs whose ranks all do the same on a periodic grid: found in a program that names every
/// rank, given another grid, and run as one rank.  Not here: sizes or durations that change with
/// the grid.
#pragma once

#include <plait/core/cxx20.hpp>

#include <string>

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Returns the same program with one template, whose peers are steps in a periodic grid of at least
/// 3 ranks an axis that is used: of 2, a step there and back are the same.  Of several grids it
/// takes the one with the fewest axes.  Generated for its own number of ranks it is the same,
/// operation by operation.  Errors: `usage_error` that says which rank and operation do not fit,
/// for the grid that fits furthest.
[[nodiscard]] program on_periodic_grid(const program& written);

/// Returns the program on a grid of other extents, with as many axes.  Sizes and durations stay, so
/// that each rank has as much to do as before.  Errors: `usage_error` where the program has no
/// grid, or a step is as long as half of an axis.
[[nodiscard]] program with_grid(const program& of, const grid_extents& grid);

/// Returns why the ranks are not all alike; empty: they are, and `one_for_all` is their program.
[[nodiscard]] std::string why_not_alike(const program& of);

/// Returns a program of one rank that sends to itself what each rank of `of` sends to its
/// neighbours.  Its finish time is that of every rank, if what comes to a rank at one and the same
/// time is taken in the same order everywhere.  Precondition: `why_not_alike(of)` is empty.
[[nodiscard]] program one_for_all(const program& of);

}  // namespace plait::simulate
