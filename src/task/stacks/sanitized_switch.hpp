// SPDX-License-Identifier: BSD-3-Clause
/// Tells the sanitizers that execution goes on on another stack; nothing without them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

// ThreadSanitizer keeps the calls of each stack: one that begins on one stack and ends on the other
// would leave both wrong.
#define PLAIT_ON_BOTH_STACKS [[gnu::always_inline]] inline

namespace plait::detail {

/// One stack and whoever enters it.  Each switch is announced before (entering, leaving) and
/// concluded after it (arrived_inside, arrived_outside).  `on` and `off` say when its memory begins
/// and ends to be a stack: frames that never return leave marks, which whoever has the memory next
/// would fall over.
class sanitized_switch {
 public:
  sanitized_switch() = default;
  sanitized_switch(const sanitized_switch&) = delete;
  sanitized_switch& operator=(const sanitized_switch&) = delete;

#if defined(__SANITIZE_ADDRESS__)
  PLAIT_ON_BOTH_STACKS void on(const void* bottom, std::size_t size) noexcept {
    bottom_ = bottom;
    size_ = size;
  }
  PLAIT_ON_BOTH_STACKS void entering() noexcept {
    __sanitizer_start_switch_fiber(&outside_fake_, bottom_, size_);
  }
  PLAIT_ON_BOTH_STACKS void arrived_inside() noexcept {
    __sanitizer_finish_switch_fiber(inside_fake_, &outside_bottom_, &outside_size_);
  }
  PLAIT_ON_BOTH_STACKS void leaving() noexcept {
    __sanitizer_start_switch_fiber(&inside_fake_, outside_bottom_, outside_size_);
  }
  PLAIT_ON_BOTH_STACKS void leaving_for_good() noexcept {
    __sanitizer_start_switch_fiber(nullptr, outside_bottom_, outside_size_);
  }
  PLAIT_ON_BOTH_STACKS void arrived_outside() noexcept {
    __sanitizer_finish_switch_fiber(outside_fake_, nullptr, nullptr);
  }
  void off() noexcept {
    __asan_unpoison_memory_region(bottom_, size_);
  }

 private:
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  void* inside_fake_ = nullptr;
  void* outside_fake_ = nullptr;
  const void* outside_bottom_ = nullptr;
  std::size_t outside_size_ = 0;
#elif defined(__SANITIZE_THREAD__)
  ~sanitized_switch() {
    if (inside_ != nullptr) __tsan_destroy_fiber(inside_);
  }
  PLAIT_ON_BOTH_STACKS void on(const void*, std::size_t) noexcept {
    inside_ = __tsan_create_fiber(0);
  }
  PLAIT_ON_BOTH_STACKS void entering() noexcept {
    outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_, 0);
  }
  PLAIT_ON_BOTH_STACKS void arrived_inside() noexcept {}
  PLAIT_ON_BOTH_STACKS void leaving() noexcept {
    __tsan_switch_to_fiber(outside_, 0);
  }
  PLAIT_ON_BOTH_STACKS void leaving_for_good() noexcept {
    leaving();
  }
  PLAIT_ON_BOTH_STACKS void arrived_outside() noexcept {}
  void off() noexcept {}

 private:
  void* inside_ = nullptr;
  void* outside_ = nullptr;
#else
  PLAIT_ON_BOTH_STACKS void on(const void*, std::size_t) noexcept {}
  PLAIT_ON_BOTH_STACKS void entering() noexcept {}
  PLAIT_ON_BOTH_STACKS void arrived_inside() noexcept {}
  PLAIT_ON_BOTH_STACKS void leaving() noexcept {}
  PLAIT_ON_BOTH_STACKS void leaving_for_good() noexcept {}
  PLAIT_ON_BOTH_STACKS void arrived_outside() noexcept {}
  void off() noexcept {}
#endif
};

}  // namespace plait::detail

#undef PLAIT_ON_BOTH_STACKS
