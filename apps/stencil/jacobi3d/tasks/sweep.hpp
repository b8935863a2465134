// SPDX-License-Identifier: BSD-3-Clause
/// In which pieces and in which order the variants of tasks submit their steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <plait/plait.hpp>

#include "problem.hpp"
#include "tasks/tile_shape.hpp"

namespace jacobi3d {

/// Cells of a message.  A face travels in parts, so that the rim behind the first is computed, and
/// sent on, while the others are still under way: the link does not stand still between two steps.
/// A part is less than 64 KiB, what Open MPI sends over TCP without a handshake; the answer to one
/// waits behind bulk data in the socket.
inline constexpr std::int64_t cells_per_message = std::int64_t{15} << 9;

/// Of a problem that stays where it is: the plans of its moves name its memory.
class sweep {
 public:
  virtual ~sweep() = default;

  /// Steps that are submitted together: an even number, after which u is again where it was.
  [[nodiscard]] virtual int steps() const noexcept = 0;
  /// Tasks of so many steps, messages included.
  [[nodiscard]] virtual std::size_t tasks() const noexcept = 0;
  /// Submits the first `count` of them, or all.  The order is one in which a single thread could
  /// run them.
  virtual void submit(plait::runtime& rt, int count) = 0;
};

/// Whole steps, one after the other: any decomposition.
[[nodiscard]] std::unique_ptr<sweep> make_step_by_step(problem& p);

enum class tile_messages : std::uint8_t { sent, none };

/// Tiles of cells that take several steps while they are in the cache.  The rows of a tile move
/// back by one with every step, so that it needs what it and the tile before it have computed; its
/// planes follow each other as a wave, each a step behind the next.  [Wonnacott 2002, time skewing;
/// McCalpin and Wonnacott 1999]  Nobody waits for a step to end, so what is there of a neighbour's
/// planes decides how far a tile gets, and nothing else does. Messages are as wide as tiles: `tile`
/// is the same on all ranks, from `choose_tiles`.  Without messages the tasks are the same, and
/// ghosts stay what they are.
[[nodiscard]] std::unique_ptr<sweep> make_time_tiles(problem& p, const tile_shape& tile,
                                                     tile_messages messages);

/// to = relax(from) on these cells, when the cells it names allow it.
void submit_relax(plait::runtime& rt, plait::task_name name, plait::priority urgency,
                  const array& from, const array& b, array& to, const box& some, stores how);

}  // namespace jacobi3d
