// SPDX-License-Identifier: BSD-3-Clause
// Replaces `operator new` and `operator delete` by ones that count.
#include "allocated.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> living{0};

[[nodiscard]] void* counted(void* made) {
  if (made == nullptr) throw std::bad_alloc();
  living.fetch_add(malloc_usable_size(made), std::memory_order_relaxed);
  return made;
}

void release(void* one) noexcept {
  living.fetch_sub(malloc_usable_size(one), std::memory_order_relaxed);
  std::free(one);
}

}  // namespace

std::size_t plait::bench::scale::allocated_bytes() noexcept {
  return living.load(std::memory_order_relaxed);
}

void* operator new(std::size_t bytes) {
  return counted(std::malloc(bytes > 0 ? bytes : 1));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(to, (bytes + to - 1) / to * to));
}
void* operator new[](std::size_t bytes) {
  return operator new(bytes);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void operator delete(void* one) noexcept {
  release(one);
}
void operator delete(void* one, std::size_t) noexcept {
  release(one);
}
void operator delete(void* one, std::align_val_t) noexcept {
  release(one);
}
void operator delete(void* one, std::size_t, std::align_val_t) noexcept {
  release(one);
}
void operator delete[](void* one) noexcept {
  release(one);
}
void operator delete[](void* one, std::size_t) noexcept {
  release(one);
}
void operator delete[](void* one, std::align_val_t) noexcept {
  release(one);
}
void operator delete[](void* one, std::size_t, std::align_val_t) noexcept {
  release(one);
}
