// SPDX-License-Identifier: BSD-3-Clause
/// Decides whether what arrives at sockets is worth a look yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "look/transport_sockets.hpp"

namespace plait {

/// A look costs about as much as the library takes to copy 50 KB, so bulk waits until there is much
/// of it, or the receive buffer fills, which would stop the sender; but a short message, and each
/// step by which a long one agrees with its receiver where to go, is looked at when it comes, for
/// the link is idle until then.  Bytes do not say which they are.  So few bytes may be looked at
/// once as often as what is expected can have steps.  Open MPI's request to send brings the first
/// 64 KiB along: so many may be looked at once as often as long messages that are expected can
/// open. [bench progress, 256 and 512 KiB each way beside tasks of 5 ms and one long task, one
/// connection: 0.92 of the time without, medians of two runs each]  The proxy.
class news_judge {
 public:
  /// From this size a message asks its receiver before the rest of it follows, but for some bytes
  /// of the library's own in front.
  static constexpr std::size_t asks_from_bytes = (64 << 10) - 256;

  /// Counts how often something has come to be expected so far.
  struct expectations {
    std::uint64_t all = 0;
    std::uint64_t long_receives = 0;  ///< of these, messages that ask
  };
  [[nodiscard]] bool is_worth_a_look(const socket_news& news,
                                     const expectations& expected) noexcept {
    early_.grant(steps_of_a_message * (expected.all - expected_.all));
    openings_.grant(parts_of_an_opening * (expected.long_receives - expected_.long_receives));
    expected_ = expected;
    if (news.room || news.waiting_bytes >= bulk_bytes || news.fullest >= full) return true;
    if (!news.arrived) return false;
    if (news.waiting_bytes <= few_bytes && early_.take()) return true;
    return news.waiting_bytes <= opening_bytes && openings_.take();
  }

  /// Returns whether the news is of more than a short message or an answer.
  [[nodiscard]] static bool is_of_long_message(const socket_news& news) noexcept {
    return news.room || news.waiting_bytes > few_bytes;
  }

 private:
  /// Looks that are still granted.
  class allowance {
   public:
    void grant(std::uint64_t more) noexcept { left_ = std::min(left_ + more, most); }
    [[nodiscard]] bool take() noexcept {
      if (left_ == 0) return false;
      --left_;
      return true;
    }

   private:
    static constexpr std::uint64_t most = 64;
    std::uint64_t left_ = 0;
  };

  static constexpr std::uint64_t steps_of_a_message = 3;
  static constexpr std::uint64_t parts_of_an_opening = 2;  // the kernel may tell of half of it
  static constexpr std::size_t opening_bytes = asks_from_bytes + (8 << 10);
  static constexpr std::size_t few_bytes = 8 << 10;
  static constexpr std::size_t bulk_bytes = 256 << 10;
  static constexpr std::size_t full = 256 / 4;

  expectations expected_;
  allowance early_;     ///< for few bytes
  allowance openings_;  ///< for as many as a request to send brings along
};

}  // namespace plait
