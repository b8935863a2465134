// SPDX-License-Identifier: BSD-3-Clause
/// Conversion of the cells of a move to accesses of a task.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/core/strided_bytes.hpp>
#include <plait/mover/box_copy.hpp>
#include <plait/task/scheduler.hpp>

namespace plait {

/// Returns the bytes of a patch.  Boxes of one array are told by their strides, so loops that could
/// be joined are not.
[[nodiscard]] inline strided_bytes memory_of(const patch& cells) noexcept {
  strided_bytes box{.begin = reinterpret_cast<std::uintptr_t>(cells.first),
                    .row_bytes = cells.run_bytes};
  for (std::size_t k = 0; k < static_cast<std::size_t>(cells.loops); ++k) {
    box.axes[k] = {.rows = cells.count[k], .stride = cells.step[k]};
  }
  return box;
}

template <class Call>
void declare(submission<Call>& task, const patch& where, access_mode mode) {
  const patch joined = where.joined();
  task.also({memory_of(joined.loops == 0 ? joined : where), mode});
}

}  // namespace plait
