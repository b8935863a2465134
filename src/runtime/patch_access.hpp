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

template <class Call, class View>
void declare_view(submission<Call>& task, const View& cells, access_mode mode) {
  if (mode == access_mode::in) {
    task.also(in(cells));
  } else if (mode == access_mode::out) {
    task.also(out(cells));
  } else {
    task.also(inout(cells));
  }
}

template <class Call>
void declare(submission<Call>& task, const patch& where, access_mode mode) {
  const patch joined = where.joined();
  if (joined.loops == 0) {
    const std::span<std::byte> bytes(joined.first, joined.run_bytes);
    declare_view(task, bytes, mode);
  } else {
    const patch_view<std::byte> cells{where};  // boxes of one array are told by their strides
    declare_view(task, cells, mode);
  }
}

}  // namespace plait
