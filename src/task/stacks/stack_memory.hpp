// SPDX-License-Identifier: BSD-3-Clause
/// The memory of tasks' stacks: only what a task touches of it takes memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plait::detail {

/// Stacks of one size, many to a mapping.  Below each lies a page that nobody may touch, so that a
/// task that needs more ends the program.  Such a page costs the process two of the mappings that
/// the system allows (vm.max_map_count, 65530 unless set), of which MPI and malloc need some.  So
/// stacks beyond a quarter of that number have none, and the number of stacks is limited by memory
/// alone.  One thread at a time.
class stack_memory {
 public:
  explicit stack_memory(std::size_t stack_bytes);
  /// No stack may be in use.
  ~stack_memory();
  stack_memory(const stack_memory&) = delete;
  stack_memory& operator=(const stack_memory&) = delete;

  /// Returns the next stack, which nobody has had.  Errors: `error` where the system has no memory.
  [[nodiscard]] std::span<std::byte> next();

 private:
  void map_more();

  const std::size_t stack_bytes_;
  std::vector<std::span<std::byte>> mappings_;
  std::span<std::byte> unused_;  ///< of the last one
  std::size_t stacks_ = 0;
  std::size_t guards_ = 0;
};

}  // namespace plait::detail
