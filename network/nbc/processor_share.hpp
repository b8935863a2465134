// SPDX-License-Identifier: BSD-3-Clause
/// Share of a processor that a blocking collective takes, against the number of ranks.
/// [libnbc-slides, slides 13 and 14]
#pragma once

#include <cstddef>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/measured_rows.hpp"
#include "operation.hpp"

namespace plait::network::nbc {

/// Communicators of the first ranks: one for each count.
class communicators {
 public:
  /// Collective.  `counts`: each from 2 to the number of ranks.
  communicators(environment& env, std::vector<int> counts);
  ~communicators();
  communicators(const communicators&) = delete;
  communicators& operator=(const communicators&) = delete;

  [[nodiscard]] const std::vector<int>& counts() const noexcept { return counts_; }
  /// MPI_COMM_NULL where this rank is not in it.
  [[nodiscard]] MPI_Comm at(std::size_t index) const noexcept { return all_[index]; }

 private:
  std::vector<int> counts_;
  std::vector<MPI_Comm> all_;
};

/// The counts that are measured when none are asked for: powers of two and all ranks.
[[nodiscard]] std::vector<int> usual_counts(int ranks);

/// `calls` blocking calls one after the other on `communicator`; the other ranks sleep.  Figures on
/// rank 0: `call_us`, and `processor_percent`: processor time of all threads of a process, by wall
/// time, the mean over the ranks that take part.  Of calls that take 1 ms or more also
/// `transport_percent`: what the transport takes from computing, likewise, where it can be told.
/// Collective on all ranks.  Errors: plait::error where the operation brings wrong data.
[[nodiscard]] measure::json measure_processor_share(environment& env, const operation& what,
                                                    std::size_t size_bytes, MPI_Comm communicator,
                                                    double sample_s);

}  // namespace plait::network::nbc
