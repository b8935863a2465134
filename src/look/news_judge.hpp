// SPDX-License-Identifier: BSD-3-Clause
/// Decides whether what arrives at sockets is worth a look yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "look/numbers.hpp"
#include "look/transport_sockets.hpp"

namespace plait {

/// A look costs about as much as the library takes to copy 50 KB, so bulk waits until there is much
/// of it, or the receive buffer fills, which would stop the sender; but a short message, and each
/// step by which a long one agrees with its receiver where to go, is looked at when it comes, for
/// the link is idle until then.  Bytes do not say which they are.  So few bytes may be looked at
/// once as often as what is expected can have steps.  Open MPI's request to send brings the first
/// 64 KiB along: so many may be looked at once as often as long messages that are expected can
/// open.  One thread.
class news_judge {
 public:
  /// Counts how often something has come to be expected so far.
  struct expectations {
    std::uint64_t all = 0;
    std::uint64_t long_receives = 0;  ///< of these, messages that ask
  };
  [[nodiscard]] bool is_worth_a_look(const socket_news& news,
                                     const expectations& expected) noexcept {
    early_.grant(look_numbers::steps_of_a_message * (expected.all - expected_.all));
    openings_.grant(look_numbers::parts_of_an_opening *
                    (expected.long_receives - expected_.long_receives));
    expected_ = expected;
    if (news.room || news.waiting_bytes >= look_numbers::bulk_bytes ||
        news.fullest >= look_numbers::full_of_256)
      return true;
    if (!news.arrived) return false;
    if (news.waiting_bytes <= look_numbers::few_bytes && early_.take()) return true;
    return news.waiting_bytes <= opening_bytes && openings_.take();
  }

  /// Returns whether the news is of more than a short message or an answer.
  [[nodiscard]] static bool is_of_long_message(const socket_news& news) noexcept {
    return news.room || news.waiting_bytes > look_numbers::few_bytes;
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

  static constexpr std::size_t opening_bytes =
      look_numbers::asks_from_bytes + look_numbers::few_bytes;

  expectations expected_;
  allowance early_;     ///< for few bytes
  allowance openings_;  ///< for as many as a request to send brings along
};

}  // namespace plait
