// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is asked of every contestant: steps in which two ranks exchange messages both
/// ways beside work that is cut into tasks.  The work of a step needs the messages of the step
/// before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/load/work.hpp"

namespace plait::bench::progress_sweep {

using measure::values;

struct step_load {
  std::size_t size_bytes = 0;  ///< of a message; a multiple of 8, at least 8
  int flights = 1;             ///< messages in flight at once each way
  double task_s = 0;           ///< of a piece of the work; 0: the work is one piece
  long units = 0;              ///< of work, in each step of each rank
  int pieces = 1;              ///< the work is cut into
  int steps = 2;               ///< that are timed; even
  int workers = 1;             ///< of each rank, where a contestant has workers
};

/// Says what the work of all steps updates: more than the caches hold.
inline constexpr std::size_t grid_blocks = std::size_t{48} << 11;  // 48 MiB

/// All messages of one way and step, one behind the other.
using message_words = std::vector<std::uint64_t>;

struct piece_of_work {
  std::span<measure::value_block> on;
  long units = 0;
};

/// Progress of a rank through its steps, and the wrong words that it has found.
struct step_state {
  int rank = 0;
  std::size_t words_of_message = 0;
  std::uint64_t step = 0;   ///< whose messages come next
  std::uint64_t wrong = 0;  ///< words that were not as the peer wrote them
  std::string first_wrong;  ///< which, and what was expected
};

/// The data of one rank.  Steps take the buffers in turns: step s has those of s % 2.
struct step_data {
  /// `grid`: not empty; its values are used as they are, and updated.
  step_data(const step_load& what, int rank, std::span<measure::value_block> grid);

  std::array<message_words, 2> outgoing;
  std::array<message_words, 2> incoming;
  std::vector<piece_of_work> pieces;
  step_state state;
};

/// Ends a step: checks what has come, and writes what is sent next.  Only one word in 4 KiB and the
/// last of each message tell the step, so that this costs little beside the messages.
void turn(std::span<const std::uint64_t> incoming, std::span<std::uint64_t> next_outgoing,
          step_state& state);

/// Errors: plait::error unless so many steps have been made, at least 2, and every word that has
/// come is right.
void expect_right(const step_data& data, std::uint64_t steps);

}  // namespace plait::bench::progress_sweep
