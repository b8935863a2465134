// SPDX-License-Identifier: BSD-3-Clause
/// The computation every variant shares: one Jacobi step on a box of cells.
#pragma once

#include <cstdint>

#include <plait/plait.hpp>

#include "common/cache_tiles.hpp"

namespace jacobi3d {

using box = plait::box<3>;
using plait::axis;
using cells = plait::view<double, 3>;
using const_cells = plait::view<const double, 3>;

/// Ways to write v: past the caches, or into them, for one who reads it soon.
enum class stores : std::uint8_t { streamed, cached };

/// Returns what suits a sweep over a whole block: past the caches, unless its arrays fit in them.
[[nodiscard]] stores stores_for(const box& block);

/// v = (the sum of u's six neighbours + b) / 6 for every cell of v.  What a cell becomes does not
/// depend on how a block is cut into boxes, nor on `how`, to the last bit.  The three lie in memory
/// alike; u shows the neighbours of v's cells too.  Thread-safe for disjoint boxes.
void relax(const_cells u, const_cells b, cells v, stores how);

/// Does the same cell by cell, as the kernel of a device does: device/relax_cells.cl for C++.
void relax_one_by_one(const_cells u, const_cells b, cells v);

/// Floating-point operations of a step for each cell: the sum of six neighbours and b are six
/// additions, and a product.
inline constexpr double operations_per_cell = 7;

/// Bytes a step must move for each cell, as STREAM counts: u and b read, v written.  (A write that
/// first reads its cache line moves 8 more, in STREAM as here.)
inline constexpr double bytes_per_cell = 24;

/// STREAM's triad a = b + s c on the memory of these cells, which lies alike, in bytes a second as
/// STREAM counts (24 a value): the best of `repeats`, with and without streaming stores. Overwrites
/// what lies between a's rows, too.  Precondition: each begins on a cache line.  [McCalpin 1995]
[[nodiscard]] double stream_triad_bytes_per_s(const cells& a, const const_cells& b,
                                              const const_cells& c, int repeats);

}  // namespace jacobi3d
