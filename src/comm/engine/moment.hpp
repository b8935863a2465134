// SPDX-License-Identifier: BSD-3-Clause
/// A time that is read when somebody first asks for it.
#pragma once

#include <plait/core/clock.hpp>

namespace plait {

/// A reading takes 16 to 24 ns, and a message needs none where others are in flight and looked
/// after.  One thread.
class moment {
 public:
  moment() noexcept = default;
  explicit moment(ticks at) noexcept : at_(at) {}
  [[nodiscard]] ticks now() noexcept {
    if (at_ == unread) at_ = now_ticks();
    return at_;
  }

 private:
  static constexpr ticks unread = -1;
  ticks at_ = unread;
};

}  // namespace plait
