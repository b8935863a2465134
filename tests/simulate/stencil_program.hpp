// SPDX-License-Identifier: BSD-3-Clause
/// A periodic stencil, for tests.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <plait/simulate/program.hpp>

namespace plait::test {

/// A periodic stencil of one template on a grid of three axes: each rank sends to its neighbours,
/// receives, then computes.  `sizes` are those of messages along each axis.
[[nodiscard]] inline simulate::program stencil_program(const simulate::grid_extents& grid,
                                                       std::uint32_t iterations,
                                                       const std::array<std::uint64_t, 3>& sizes) {
  using namespace simulate;
  program made;
  made.grid = grid;
  made.iterations = iterations;
  made.template_of.assign(grid[0] * grid[1] * grid[2] * grid[3], 0);
  template_builder built;
  operation work;
  work.size = 100'000;
  std::vector<std::uint32_t> messages;
  for (std::size_t axis = 1; axis < grid.size(); ++axis) {
    for (const std::int32_t way : {-1, 1}) {
      grid_step step{};
      step[axis] = way;
      grid_step back{};
      back[axis] = -way;
      operation message;
      message.rule = peer_rule::grid_step;
      message.size = sizes[axis - 1];
      message.tag = static_cast<std::uint32_t>(made.steps.size());
      message.kind = operation_kind::send;
      message.peer = static_cast<std::uint32_t>(made.steps.size());
      made.steps.push_back(step);
      messages.push_back(built.add(message));
      message.kind = operation_kind::receive;
      message.peer = static_cast<std::uint32_t>(made.steps.size());
      made.steps.push_back(back);
      messages.push_back(built.add(message));
    }
  }
  const std::uint32_t computed = built.add(work);
  for (const std::uint32_t message : messages) {
    built.require(computed, message);
    built.require(message, computed, true);
  }
  made.templates.push_back(built.build());
  return made;
}

}  // namespace plait::test
