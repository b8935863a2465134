// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is asked of every contestant: steps in which two ranks exchange a buffer both
/// ways and do work that does not need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "measure/load/work.hpp"

namespace plait::bench::exchange {

using measure::values;

struct load {
  std::size_t size_bytes = 0;  ///< each way; at least 8
  long units = 0;              ///< of work, in each step of each rank
  int pieces = 1;              ///< the work is cut into
  int steps = 1;               ///< that are timed
  int workers = 1;             ///< of each rank, where a contestant has workers

  /// Units of piece `index`.
  [[nodiscard]] long units_of(int index) const noexcept {
    return measure::units_of_piece(units, pieces, index);
  }
};

/// The data of one rank.
struct buffers {
  explicit buffers(const load& what);

  std::vector<std::byte> outgoing;
  std::vector<std::byte> incoming;
  std::vector<values> pieces;
  long gate = 0;  ///< the step before this one is over
};

/// Ends a step: needs the peer's message, and makes this rank's next one.
void combine(const std::vector<std::byte>& incoming, std::vector<std::byte>& outgoing, long& gate);

/// Errors: plait::error unless both ranks have combined so often.
void expect_steps(const buffers& data, std::uint64_t steps);

}  // namespace plait::bench::exchange
