// SPDX-License-Identifier: BSD-3-Clause
#include "task/stacks/stack_memory.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

#include <plait/core/error.hpp>
#include <sys/mman.h>
#include <unistd.h>

namespace plait::detail {
namespace {

[[nodiscard]] std::size_t bytes_of_page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

[[nodiscard]] std::size_t most_guards() {
  static const std::size_t most = [] {
    std::size_t mappings = 65530;
    std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
    return mappings / 8;
  }();
  return most;
}

std::atomic<std::size_t> guards{0};  ///< of this process

/// Takes the right to one more guard.
[[nodiscard]] bool may_guard() {
  if (guards.fetch_add(1, std::memory_order_relaxed) < most_guards()) return true;
  guards.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

}  // namespace

stack_memory::stack_memory(std::size_t stack_bytes)
    : stack_bytes_((stack_bytes + bytes_of_page() - 1) / bytes_of_page() * bytes_of_page()) {}

stack_memory::~stack_memory() {
  for (const std::span<std::byte> mapping : mappings_) munmap(mapping.data(), mapping.size());
  guards.fetch_sub(guards_, std::memory_order_relaxed);
}

std::span<std::byte> stack_memory::next() {
  if (unused_.empty()) map_more();
  const std::size_t with_guard = bytes_of_page() + stack_bytes_;
  const std::span<std::byte> taken = unused_.first(with_guard);
  unused_ = unused_.subspan(with_guard);
  if (may_guard()) {
    ++guards_;
    (void)mprotect(taken.data(), bytes_of_page(), PROT_NONE);
  }
  ++stacks_;
  return taken.subspan(bytes_of_page());
}

/// As many as there are, up to 64 MiB.  Huge pages would make a stack take 2 MiB when one byte of
/// it is touched.
void stack_memory::map_more() {
  const std::size_t with_guard = bytes_of_page() + stack_bytes_;
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  const std::size_t count =
      std::clamp<std::size_t>(stacks_, 1, std::max<std::size_t>(1, most_bytes / with_guard));
  void* const begin = mmap(nullptr, count * with_guard, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (begin == MAP_FAILED) {
    throw error("no memory for one more stack beside those of " + std::to_string(stacks_) +
                " tasks that are running or suspended, of " + std::to_string(stack_bytes_) +
                " bytes each (task_stack_bytes)");
  }
  (void)madvise(begin, count * with_guard, MADV_NOHUGEPAGE);
  unused_ = {static_cast<std::byte*>(begin), count * with_guard};
  mappings_.push_back(unused_);
}

}  // namespace plait::detail
