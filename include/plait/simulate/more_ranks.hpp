// SPDX-License-Identifier: BSD-3-Clause
/// Makes the program of another number of ranks, from recordings of several numbers.
/// Not here: reading recordings (call_program.hpp), and running what comes out.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plait/simulate/call_program.hpp>

namespace plait::simulate {

/// A quantity that grows as a power of the number of ranks, or of the extents of their grid.
struct power_law {
  enum class quantity : std::uint8_t { duration, message_bytes, call_elements };
  quantity what = quantity::duration;
  std::string name;             ///< of task, message or call
  double exponent = 0;          ///< of the number of ranks, as it is applied
  double fitted = 0;            ///< as it was fitted, before a nearby simple fraction was taken
  double largest_residual = 0;  ///< of the recordings, as a part of the quantity
};

/// Says which recordings tell how long a rank computes.
enum class durations : std::uint8_t {
  of_all,           ///< each its own, and laws follow from all
  of_fewest_ranks,  ///< that with the fewest ranks: the work of a rank does not grow
};

/// Recordings of one program, each with another number of ranks, and the rules that all follow.
///
/// Ranks lie on a grid: that with the fewest axes, up to 3, on which each operation has a peer that
/// is a step away, or the same rank, or rank ^ m, for all ranks of a class in all recordings.  The
/// class of a rank is its place along each axis: first, last or between; one class if all ranks do
/// the same.  Ranks of a class have the same operations, dependences, tags and calls.
///
/// Quantities of one name follow c · P^k, or a power of each extent where recordings differ along
/// several axes independently.  k is by least squares over all classes that recordings share.
class more_ranks {
 public:
  /// Errors: usage_error, one line: what has no known law, and which recording would help.
  explicit more_ranks(std::vector<recorded_calls> recorded, durations which = durations::of_all);
  ~more_ranks();
  more_ranks(more_ranks&&) noexcept;
  more_ranks& operator=(more_ranks&&) noexcept;

  /// Returns the grid of each recording.
  [[nodiscard]] std::vector<grid_extents> grids() const;
  /// Returns the most cubic grid of so many ranks that `generate` takes.  Errors: usage_error, why
  /// there is none.
  [[nodiscard]] grid_extents grid_of(std::uint32_t ranks) const;

  /// Returns the program on the ranks of a grid.  On the grid of a recording that is the recording,
  /// operation by operation, but that tasks of calls take their mean time.  On another, a rank
  /// takes its operations from a recorded rank of its class, of the largest recording that has one,
  /// drawn by `seed`.  What each task but its first takes beside the median of its class begins at
  /// a drawn place, so that the spread stays and delays of different ranks do not coincide. Errors:
  /// usage_error, what has no known law, and more operations than 2^26.
  [[nodiscard]] call_program generate(const grid_extents& grid, std::uint64_t seed = 1) const;

  /// Returns all laws, those of durations by the time that they concern, largest first.
  [[nodiscard]] const std::vector<power_law>& laws() const;
  /// Returns why an answer for a grid is not to be trusted; empty: it is.
  [[nodiscard]] std::string why_not_trusted(const grid_extents& grid) const;

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace plait::simulate
