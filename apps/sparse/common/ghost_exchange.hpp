// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of the elements of x that other ranks need, in plain MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "dealt_matrix.hpp"
#include "measure/rows/plain_exchange.hpp"

namespace plait::sparse {

/// One message to each rank that needs something, one from each that has something.  Ghosts are
/// received in place, and what is sent is packed.
class ghost_exchange final : public measure::plain_exchange {
 public:
  /// `x` and `ghosts` outlive it, in place.  `lists`: of a.ghosts, by a.owners().
  ghost_exchange(MPI_Comm communicator, const dealt_matrix& a, const index_lists& lists,
                 std::span<const double> x, std::span<double> ghosts);

  void pack() override;

 private:
  std::span<const double> x_;
  std::vector<std::int32_t> sent_elements_;  ///< of x, one message after another
  std::vector<double> outgoing_;             ///< what they are
};

}  // namespace plait::sparse
