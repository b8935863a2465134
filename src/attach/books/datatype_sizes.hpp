// SPDX-License-Identifier: BSD-3-Clause
/// The sizes of datatypes, without a call of the library for those that it names.
#pragma once

#include <cstdint>

#include "attach/calls/real_functions.hpp"

namespace plait::attach {

/// Remembers the sizes of named datatypes (MPI_DOUBLE): they live as long as MPI does, so their
/// handles never come to mean others.  The handle of a datatype that the program made may.
class datatype_sizes {
 public:
  /// Returns the bytes of an element; 0 where the library does not know the datatype.
  [[nodiscard]] std::uint64_t of(MPI_Datatype type) noexcept {
    entry& kept = entries_[(number_of(type) * 0x9e3779b97f4a7c15) >> 60];
    if (kept.size > 0 && kept.type == type) [[likely]]
      return kept.size;
    return ask(type, kept);
  }
  [[nodiscard]] static bool is_named(MPI_Datatype type) noexcept {
    int integers = 0;
    int addresses = 0;
    int datatypes = 0;
    int combiner = 0;
    return PLAIT_REAL(MPI_Type_get_envelope)(type, &integers, &addresses, &datatypes, &combiner) ==
               MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
  }

 private:
  struct entry {
    MPI_Datatype type = {};
    std::uint64_t size = 0;  ///< 0: nothing is kept here
  };

  [[nodiscard]] static std::uint64_t ask(MPI_Datatype type, entry& to) noexcept {
    int size = 0;
    if (PLAIT_REAL(MPI_Type_size)(type, &size) != MPI_SUCCESS || size <= 0) return 0;
    const entry found{type, static_cast<std::uint64_t>(size)};
    if (is_named(type)) to = found;
    return found.size;
  }

  entry entries_[16];
};

}  // namespace plait::attach
