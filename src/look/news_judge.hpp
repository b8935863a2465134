// SPDX-License-Identifier: BSD-3-Clause
/// Decides whether what arrives at sockets is worth a look at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "look/numbers.hpp"
#include "look/transport_sockets.hpp"

namespace plait {

/// A look costs about as much as the library takes to copy 50 KB, so bulk waits until there is much
/// of it; but a short message, and each step by which a long one agrees with its receiver where to
/// go, is looked at when it comes, for the link is idle until then.  Bytes do not say which they
/// are.  So few bytes may be looked at once as often as what is expected can have steps.  All other
/// bytes are looked at once none have followed for a while (`pace`).  One thread.
class news_judge {
 public:
  /// `expected`: how often something has come to be expected so far.
  [[nodiscard]] bool is_worth_a_look(const socket_news& news, std::uint64_t expected) noexcept {
    left_ += look_numbers::steps_of_a_message * (expected - std::exchange(expected_, expected));
    left_ = std::min(left_, most_left);
    if (news.room || news.waiting_bytes >= look_numbers::bulk_bytes) return true;
    if (!news.arrived || is_of_long_message(news) || left_ == 0) return false;
    --left_;
    return true;
  }

  /// Returns whether the news is of more than a short message or an answer.
  [[nodiscard]] static bool is_of_long_message(const socket_news& news) noexcept {
    return news.room || news.waiting_bytes > look_numbers::few_bytes;
  }

 private:
  static constexpr std::uint64_t most_left = 64;

  std::uint64_t expected_ = 0;
  std::uint64_t left_ = 0;  ///< looks that few bytes may still have
};

}  // namespace plait
