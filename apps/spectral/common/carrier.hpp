// SPDX-License-Identifier: BSD-3-Clause
/// The ways in which rows travel.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <plait/plait.hpp>

#include "row_blocks.hpp"

namespace spectral {

/// Carries the rows of one run: `expect` and `start` of each piece, `wait`, `barrier`.  Made and
/// ended collectively.
class carrier {
 public:
  virtual ~carrier() = default;
  /// Says that these rows of the block from `from` will come, where the way must.  Each pair of
  /// ranks expects and starts the same pieces in the same order.
  virtual void expect(int from, const range& rows) = 0;
  /// Initiates the transfer of these rows of the block for `peer`.
  virtual void start(int peer, const range& rows) = 0;
  /// Waits until what was started has finished, and what was expected has come.
  virtual void wait() = 0;
  /// Waits for all ranks.
  virtual void barrier() = 0;
  /// Returns the sum over all ranks on rank 0, anything elsewhere.  Nothing is under way.
  [[nodiscard]] virtual complex sum_on_first(const complex& mine) = 0;
  /// Returns what its window runs on; nothing where it has none.
  [[nodiscard]] virtual std::optional<plait::window_choice> window() const { return {}; }
};

/// Purpose of a carrier: the rows that it carries, and the policy of progress.
struct journey {
  plait::environment& env;
  row_memory& rows;
  plait::progress policy = plait::progress::automatic;
  plait::windows_on windows = plait::windows_on::messages;
};

/// Puts into a window of plait's; arrival is known by the barrier, as in Algorithms 3 to 5.
[[nodiscard]] std::unique_ptr<carrier> make_put(const journey& on);
/// Puts with a signal; arrival is known by the signals.
[[nodiscard]] std::unique_ptr<carrier> make_put_signal(const journey& on);
/// Messages of plait's.
[[nodiscard]] std::unique_ptr<carrier> make_message(const journey& on);
/// MPI_Isend and MPI_Irecv by hand, without a progress thread.
[[nodiscard]] std::unique_ptr<carrier> make_isend(const journey& on);
/// Nothing travels: computation alone.
[[nodiscard]] std::unique_ptr<carrier> make_none(const journey& on);

inline constexpr std::array<std::string_view, 5> way_names{"put", "put_signal", "message", "isend",
                                                           "none"};
/// Expects all pieces that come to this rank, so many of a block; see `for_pieces_in_turn`.
void expect_all(const row_memory& rows, index pieces, carrier& by);

/// Precondition: `way` is one of `way_names`.
[[nodiscard]] std::unique_ptr<carrier> make_carrier(const std::string& way, const journey& on);

}  // namespace spectral
