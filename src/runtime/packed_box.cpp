// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/packed_box.hpp"

#include <cstdint>
#include <span>
#include <string>

#include <plait/mover/box_copy.hpp>
#include <plait/task/scheduler.hpp>

#include "runtime/scratch.hpp"

namespace plait {
namespace {

/// Strided rows, in the form in which the access words take a box of an array.
template <class Byte>
struct rows {
  using element = Byte;
  strided_bytes cells;

  [[nodiscard]] strided_bytes strided_memory() const noexcept { return cells; }
  [[nodiscard]] rows<const Byte> as_const() const noexcept { return {cells}; }
};

/// Copies along all axes but the last, which a box_copy has no loop for.  `both`: the two sides,
/// without loops.  `dense`: the side on which the rows lie side by side.
void copy_rows(const strided_bytes& cells, box_copy both, bool packs) noexcept {
  constexpr std::size_t loops = patch::most_loops;
  static_assert(loops + 1 == strided_bytes::most_axes);
  both.run_bytes = cells.row_bytes;
  both.loops = loops;
  auto dense = static_cast<std::int64_t>(cells.row_bytes);
  for (std::size_t k = 0; k < loops; ++k) {
    const strided_bytes::axis& a = cells.axes[k];
    const std::size_t loop = loops - 1 - k;  // the slowest first
    both.count[loop] = a.rows;
    both.to_step[loop] = packs ? dense : a.stride;
    both.from_step[loop] = packs ? a.stride : dense;
    dense *= a.rows;
  }
  const strided_bytes::axis& slowest = cells.axes[loops];
  for (std::int64_t i = 0; i < slowest.rows; ++i) {
    both.run();
    both.to += packs ? dense : slowest.stride;
    both.from += packs ? slowest.stride : dense;
  }
}

}  // namespace

std::size_t size_bytes(const strided_bytes& box) noexcept {
  std::size_t bytes = box.row_bytes;
  for (const auto& a : box.axes)
    bytes *= static_cast<std::size_t>(std::max<std::int64_t>(a.rows, 0));
  return bytes;
}

std::optional<byte_range> in_one_piece(const strided_bytes& box) noexcept {
  const std::size_t size = size_bytes(box);
  auto run = static_cast<std::int64_t>(box.row_bytes);
  for (const auto& a : box.axes) {
    if (size == 0 || a.rows == 1) continue;
    if (a.stride != run) return std::nullopt;
    run *= a.rows;
  }
  return byte_range{box.begin, box.begin + size};
}

packed_box::packed_box(const strided_bytes& cells)
    : cells_(cells), memory_(make_scratch(size_bytes(cells))) {}

byte_range packed_box::bytes() const noexcept {
  return detail::bytes_of(memory_.get(), size_bytes(cells_));
}

void packed_box::submit_packing(scheduler& tasks, task_name name) const {
  const auto pack = [](rows<const std::byte> from, std::span<std::byte> to,
                       const std::shared_ptr<std::byte>&) {
    const auto* const first = reinterpret_cast<const std::byte*>(from.cells.begin);
    copy_rows(from.cells, {.to = to.data(), .from = first}, true);
  };
  tasks
      .task(task_name::intern("pack " + std::string(name.c_str())), pack,
            in(rows<std::byte>{cells_}), out(writable(bytes())), memory_)
      .priority(high);
}

void packed_box::submit_unpacking(scheduler& tasks, task_name name) const {
  const auto unpack = [](std::span<const std::byte> from, rows<std::byte> to,
                         const std::shared_ptr<std::byte>&) {
    auto* const first = reinterpret_cast<std::byte*>(to.cells.begin);
    copy_rows(to.cells, {.to = first, .from = from.data()}, false);
  };
  tasks
      .task(task_name::intern("unpack " + std::string(name.c_str())), unpack, in(readable(bytes())),
            out(rows<std::byte>{cells_}), memory_)
      .priority(high);
}

void packed_box::keep_until_unused(scheduler& tasks, task_name name) const {
  tasks.task(
      name, [](std::span<std::byte>, const std::shared_ptr<std::byte>&) {},
      inout(writable(bytes())), memory_);
}

}  // namespace plait
