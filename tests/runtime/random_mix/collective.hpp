// SPDX-License-Identifier: BSD-3-Clause
/// A collective operation of a mixed program, for all ranks that take part.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <plait/runtime/runtime.hpp>

#include "statement.hpp"

namespace plait::test::mix {

using blocks = std::vector<block>;

/// Elements of the arena, side by side or in rows with gaps between.
struct buffer {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t row = 0;  ///< elements; 0: all side by side
  std::size_t gap = 0;

  [[nodiscard]] bool is_box() const { return row > 0; }
  [[nodiscard]] std::size_t at(std::size_t i) const {
    return first + (is_box() ? i / row * (row + gap) + i % row : i);
  }
  [[nodiscard]] std::size_t length() const { return count == 0 ? 0 : at(count - 1) + 1 - first; }
  [[nodiscard]] piece where() const;
};

struct member_part {
  buffer send;
  buffer receive;
  bool one_buffer = false;  ///< in place: the input is in `receive`, of a scatter's root in `send`
  blocks send_blocks;
  blocks receive_blocks;
  neighbourhood around;
};

/// Elements that travel from the input of one rank to the output of another.
struct travelling {
  std::size_t from_member = 0;
  std::size_t from = 0;
  std::size_t to_member = 0;
  std::size_t to = 0;
  std::size_t count = 0;
};

/// Elements of the inputs of several ranks, combined in the order of ranks into one output.
struct combined {
  std::size_t first_member = 0;
  std::size_t last_member = 0;  ///< included
  std::size_t from = 0;
  std::size_t to_member = 0;
  std::size_t to = 0;
  std::size_t count = 0;
};

struct planned_collective {
  collective::operation what = collective::operation::barrier;
  group among;
  std::size_t root = 0;
  std::size_t count = 0;
  bool in_place = false;
  bool commutes = true;
  std::optional<collective::algorithm> algorithm;
  std::size_t fragment_bytes = 32;
  bool by_library = false;
  std::vector<member_part> parts;  ///< by rank among the members
  std::vector<travelling> copies;  ///< what must have happened in the end
  std::vector<combined> folds;

  [[nodiscard]] const buffer& input(std::size_t member) const;
  [[nodiscard]] const buffer& output(std::size_t member) const;
  [[nodiscard]] std::string text() const;
};

/// Affine functions of numbers below 2^16, one after the other: associative, not commutative.
struct composition {
  word operator()(word a, word b) const {
    const word factor = (a & 0xFFFFU) * (b & 0xFFFFU);
    const word term = (a & 0xFFFFU) * (b >> 16U) + (a >> 16U);
    return (factor & 0xFFFFU) | (term << 16U);
  }
};

/// Blocks or neighbours, or no elements at all: its buffers are spans.
[[nodiscard]] bool takes_lists(collective::operation op);

/// Nothing where its buffers do not fit.
[[nodiscard]] std::optional<planned_collective> plan_collective(generator& g, const scene& s);
void submit_collective(live_rank& here, const planned_collective& call);

}  // namespace plait::test::mix
