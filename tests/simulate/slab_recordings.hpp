// SPDX-License-Identifier: BSD-3-Clause
/// A program on a grid that is not periodic, for tests: halos, a calculation, an allreduce.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/simulate/call_program.hpp>

namespace plait::test {

/// Says what a step of the program does.  Durations and sizes are of the grid's extents and the
/// number of ranks.
struct slab_shape {
  std::uint32_t steps = 5;
  bool periodic = false;
  bool tags_name_ranks = false;  ///< that of a message is its sender
  bool to_root = false;          ///< each rank but the last sends to the last
  double work_exponent = -1;     ///< of the number of ranks
  bool halves_faces = true;      ///< a face is cut by the ranks along the other axes
  std::uint64_t noise_ns = 0;    ///< that durations vary by
};

/// Writes the program for the ranks of a grid, directly.
[[nodiscard]] inline simulate::call_program slab_program(const simulate::grid_extents& grid,
                                                         const slab_shape& shape = {}) {
  using namespace simulate;
  call_program made;
  program& all = made.operations;
  all.names = {"", "work", "to", "from", "sum"};
  const std::uint32_t ranks = grid[0] * grid[1] * grid[2] * grid[3];
  collective_call sum;
  sum.what = collective::operation::allreduce;
  sum.how = collective::algorithm::recursive_doubling;
  sum.count = 1;
  sum.element_bytes = 8;
  made.calls = {sum};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    template_builder built;
    std::vector<std::uint32_t> before;
    for (std::uint32_t step = 0; step < shape.steps; ++step) {
      std::vector<std::uint32_t> messages;
      for (std::size_t axis = 0; axis < grid.size(); ++axis) {
        std::uint32_t stride = 1;
        for (std::size_t a = axis + 1; a < grid.size(); ++a) stride *= grid[a];
        const std::uint32_t at = rank / stride % grid[axis];
        if (grid[axis] == 1) continue;
        for (const bool up : {false, true}) {
          const std::uint32_t end = up ? grid[axis] - 1 : 0;
          if (at == end && !shape.periodic) continue;
          const std::uint32_t to = (at + (up ? 1 : grid[axis] - 1)) % grid[axis];
          operation message;
          message.peer = rank + (to - at) * stride;
          const std::uint32_t others = shape.halves_faces ? ranks / grid[axis] : 1;
          message.size = 96000 / others;
          for (const auto kind : {operation_kind::send, operation_kind::receive}) {
            message.kind = kind;
            message.name = kind == operation_kind::send ? 2 : 3;
            message.tag = 10 * static_cast<std::uint32_t>(axis) +
                          ((kind == operation_kind::send) == up ? 1 : 0);
            if (shape.tags_name_ranks)
              message.tag = kind == operation_kind::send ? rank : message.peer;
            messages.push_back(built.add(message));
          }
        }
      }
      operation work;
      work.name = 1;
      work.size = static_cast<std::uint64_t>(
          std::llround(9216000.0 * std::pow(ranks, shape.work_exponent)) +
          static_cast<std::int64_t>(shape.noise_ns * ((rank * 7 + step * 13) % 11)));
      const std::uint32_t computed = built.add(work);
      operation call;
      call.name = 4;
      call.samples = 1;
      const std::uint32_t summed = built.add(call);
      built.require(summed, computed);
      for (const std::uint32_t one : messages) built.require(computed, one);
      for (const std::uint32_t earlier : before)
        for (const std::uint32_t one : messages) built.require(one, earlier);
      if (messages.empty())
        for (const std::uint32_t earlier : before) built.require(computed, earlier);
      before = {summed};
    }
    if (shape.to_root && rank + 1 < ranks) {
      operation last;
      last.kind = operation_kind::send;
      last.name = 2;
      last.size = 8;
      last.tag = 99;
      last.peer = ranks - 1;
      built.add(last);
    }
    all.template_of.push_back(rank);
    all.templates.push_back(built.build());
  }
  return made;
}

/// Returns the program as if it had been recorded.
[[nodiscard]] inline simulate::recorded_calls slab_recording(const simulate::grid_extents& grid,
                                                             const slab_shape& shape = {}) {
  return {slab_program(grid, shape), {}, "folder"};
}

}  // namespace plait::test
