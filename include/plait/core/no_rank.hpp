// SPDX-License-Identifier: BSD-3-Clause
/// The peer that does not exist.
#pragma once

#include <plait/core/cxx20.hpp>

#include <limits>

namespace plait {

/// Stands for a missing neighbour, at the end of a grid for example.  A message to or from it, an
/// operation on its part of a window and an edge of a neighbourhood to it finish at once, touch
/// nothing and meet nothing.  MPI_PROC_NULL means the same.  The value is none that MPI gives
/// another meaning.
inline constexpr int no_rank = std::numeric_limits<int>::min();

}  // namespace plait
