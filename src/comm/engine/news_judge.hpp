// SPDX-License-Identifier: BSD-3-Clause
/// Decides whether what arrives at sockets is worth a look yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comm/engine/transport_sockets.hpp"

namespace plait {

/// A look costs about as much as the library takes to copy 50 KB, so bulk waits until there is much
/// of it, or the receive buffer fills, which would stop the sender; but a short message, and each
/// step by which a long one agrees with its receiver where to go, is looked at when it comes, for
/// the link is idle until then.  Bytes do not say which they are.  So few bytes may be looked at
/// once as often as what is expected can have steps.  The proxy.
class news_judge {
 public:
  /// `expected`: how often the engine has come to expect something so far.
  [[nodiscard]] bool is_worth_a_look(const socket_news& news, std::uint64_t expected) noexcept {
    early_ += steps_of_a_message * (expected - expected_);
    expected_ = expected;
    if (early_ > most_early) early_ = most_early;
    if (news.room || news.waiting_bytes >= bulk_bytes || news.fullest >= full) return true;
    if (!news.arrived || news.waiting_bytes > few_bytes || early_ == 0) return false;
    --early_;
    return true;
  }

 private:
  static constexpr std::uint64_t steps_of_a_message = 3;
  static constexpr std::uint64_t most_early = 64;
  static constexpr std::size_t few_bytes = 8 << 10;
  static constexpr std::size_t bulk_bytes = 256 << 10;
  static constexpr std::size_t full = 256 / 4;

  std::uint64_t expected_ = 0;
  std::uint64_t early_ = 0;  ///< looks that few bytes are still granted
};

}  // namespace plait
