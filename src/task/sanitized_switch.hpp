// SPDX-License-Identifier: BSD-3-Clause
/// Tells the sanitizers that execution goes on on another stack; nothing without them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace plait::detail {

/// One stack and whoever enters it.  Each switch is announced before (entering, leaving) and
/// concluded after it (arrived_inside, arrived_outside).
class sanitized_switch {
 public:
  sanitized_switch() = default;
  sanitized_switch(const sanitized_switch&) = delete;
  sanitized_switch& operator=(const sanitized_switch&) = delete;

#if defined(__SANITIZE_ADDRESS__)
  void on(const void* bottom, std::size_t size) noexcept {
    bottom_ = bottom;
    size_ = size;
  }
  void entering() noexcept {
    __sanitizer_start_switch_fiber(&outside_fake_, bottom_, size_);
  }
  void arrived_inside() noexcept {
    __sanitizer_finish_switch_fiber(inside_fake_, &outside_bottom_, &outside_size_);
  }
  void leaving() noexcept {
    __sanitizer_start_switch_fiber(&inside_fake_, outside_bottom_, outside_size_);
  }
  void leaving_for_good() noexcept {
    __sanitizer_start_switch_fiber(nullptr, outside_bottom_, outside_size_);
  }
  void arrived_outside() noexcept {
    __sanitizer_finish_switch_fiber(outside_fake_, nullptr, nullptr);
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
  void on(const void*, std::size_t) noexcept {
    inside_ = __tsan_create_fiber(0);
  }
  void entering() noexcept {
    outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_, 0);
  }
  void arrived_inside() noexcept {}
  void leaving() noexcept {
    __tsan_switch_to_fiber(outside_, 0);
  }
  void leaving_for_good() noexcept {
    leaving();
  }
  void arrived_outside() noexcept {}

 private:
  void* inside_ = nullptr;
  void* outside_ = nullptr;
#else
  void on(const void*, std::size_t) noexcept {}
  void entering() noexcept {}
  void arrived_inside() noexcept {}
  void leaving() noexcept {}
  void leaving_for_good() noexcept {}
  void arrived_outside() noexcept {}
#endif
};

}  // namespace plait::detail
