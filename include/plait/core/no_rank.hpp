// SPDX-License-Identifier: BSD-3-Clause
/// The peer that is nobody.
#pragma once

#include <plait/core/cxx20.hpp>

#include <limits>

namespace plait {

/// Stands for a neighbour that is not there, at the end of a grid say: a message to or from it, an
/// operation on its part of a window and an edge of a neighbourhood to it are none.  They finish at
/// once, touch nothing and meet nothing, as with MPI_PROC_NULL, which is taken for the same in all
/// of these places.  Not a number that MPI gives another meaning.
inline constexpr int no_rank = std::numeric_limits<int>::min();

}  // namespace plait
