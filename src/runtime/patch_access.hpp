// SPDX-License-Identifier: BSD-3-Clause
/// How the cells of a move become accesses of a task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <plait/core/strided_bytes.hpp>
#include <plait/mover/box_copy.hpp>
#include <plait/task/scheduler.hpp>

namespace plait {

/// A patch, as the access words take a box of an array.
template <class Byte>
struct patch_view {
  using element = Byte;
  patch cells;

  [[nodiscard]] strided_bytes strided_memory() const noexcept {
    strided_bytes box{.begin = reinterpret_cast<std::uintptr_t>(cells.first),
                      .row_bytes = cells.run_bytes};
    for (std::size_t k = 0; k < static_cast<std::size_t>(cells.loops); ++k) {
      box.axes[k] = {.rows = cells.count[k], .stride = cells.step[k]};
    }
    return box;
  }
  [[nodiscard]] patch_view<const Byte> as_const() const noexcept { return {cells}; }
};

template <class Call>
void declare(submission<Call>& task, const patch& where, access_mode mode) {
  const patch joined = where.joined();
  if (joined.loops == 0) {
    const std::span<std::byte> bytes(joined.first, joined.run_bytes);
    mode == access_mode::in ? task.also(in(bytes)) : task.also(out(bytes));
  } else {
    const patch_view<std::byte> cells{where};  // boxes of one array are told by their strides
    mode == access_mode::in ? task.also(in(cells)) : task.also(out(cells));
  }
}

}  // namespace plait
