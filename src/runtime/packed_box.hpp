// SPDX-License-Identifier: BSD-3-Clause
/// A box of an array on its way: its elements side by side in memory of the runtime's own, and the
/// tasks that bring them there and back.  Moves of whole arrays: moves.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <plait/core/strided_bytes.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

class scheduler;

[[nodiscard]] std::size_t size_bytes(const strided_bytes& box) noexcept;
/// Returns the bytes of the box if they lie side by side in the order in which they travel, the
/// first axis fastest.  Such a box needs no packing.
[[nodiscard]] std::optional<byte_range> in_one_piece(const strided_bytes& box) noexcept;

/// The memory lives as long as this, or a task that was submitted with it.
class packed_box {
 public:
  explicit packed_box(const strided_bytes& cells);

  [[nodiscard]] byte_range bytes() const noexcept;
  [[nodiscard]] const std::shared_ptr<std::byte>& memory() const noexcept { return memory_; }

  /// A task, "pack edge", that reads the box and writes the memory; and one that does the reverse.
  void submit_packing(scheduler& tasks, task_name name) const;
  void submit_unpacking(scheduler& tasks, task_name name) const;
  /// A task that keeps the memory until all that was submitted before has let go of it.
  void keep_until_unused(scheduler& tasks, task_name name) const;

 private:
  strided_bytes cells_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace plait
