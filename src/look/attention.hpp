// SPDX-License-Identifier: BSD-3-Clause
/// The attention of a thread that looks after messages: what it keeps between two looks.  One
/// thread.
#pragma once

#include <utility>

#include "look/news_judge.hpp"
#include "look/numbers.hpp"
#include "look/pace.hpp"
#include "look/sleeper.hpp"

namespace plait {

/// Joins the sleep of a thread, the news that it gets in it, and the pace.
class attention {
 public:
  explicit attention(const pace_limits& limits) : limits_(limits) {}

  /// Returns true when a look pays.  Otherwise sleeps once and returns false: ask again, with the
  /// facts that hold then.  `facts` need not say what sockets know; `is_told` says whether all that
  /// can move would come through them.
  /// `expected`: called after news, for how often something has come to be expected.
  [[nodiscard]] bool look_pays_else_sleep(pace_facts facts, const auto& expected) noexcept {
    facts.is_told = facts.is_told && sockets().carry_messages();
    facts.has_news = has_news_;
    facts.silent_since = silent_since_;
    const pace_verdict verdict = decide(facts, limits_);
    const ticks time = verdict.until - facts.now;
    switch (verdict.what) {
      case pace_verdict::kind::look:
        return true;
      case pace_verdict::kind::leave:
        sleeper_.nap(time);
        return false;
      case pace_verdict::kind::listen:
        sockets().find(facts.now);
        // What follows bytes that are no news wakes this thread once, not packet by packet.
        if (silent_since_ != 0) sleeper_.nap(time);
        last_news_ = sleeper_.listen(silent_since_ != 0 ? 0 : time);
        has_news_ = judge_.is_worth_a_look(last_news_, expected(last_news_));
        if (last_news_.arrived) silent_since_ = now_ticks();
        return false;
    }
    return false;
  }
  /// It has looked, or has found that others do.
  void looked(bool itself) noexcept {
    has_news_ = false;
    silent_since_ = 0;
    if (itself) sockets().looked();
  }

  /// Looks as often as a look leaves work that nobody would tell of.  Some libraries take one part
  /// of a message from a socket in a look (Open MPI 128 KiB, libfabric 64 KiB), and some begin the
  /// next round of a collective only in later looks than the one that has ended the round before.
  /// `look()` returns whether it has looked; `may_have_rounds()`: whether a collective may be under
  /// way.
  void look_until_read(const auto& look, const auto& may_have_rounds) {
    const bool has_looked = look();
    looked(has_looked);
    if (!has_looked || !sockets().carry_messages()) return;
    socket_bytes left = sockets().bytes();
    while (left.waiting >= look_numbers::few_bytes) {
      if (!look()) return;
      const socket_bytes before = std::exchange(left, sockets().bytes());
      if (left.read_at_least <= before.read_at_most) break;
    }
    for (int i = 0; i < look_numbers::looks_for_a_round && may_have_rounds(); ++i) (void)look();
  }

  [[nodiscard]] sleeper& sleep() noexcept { return sleeper_; }
  [[nodiscard]] const sleeper& sleep() const noexcept { return sleeper_; }
  [[nodiscard]] transport_sockets& sockets() noexcept { return sleeper_.sockets(); }
  [[nodiscard]] pace_limits& limits() noexcept { return limits_; }
  [[nodiscard]] const socket_news& last_news() const noexcept { return last_news_; }

 private:
  pace_limits limits_;
  sleeper sleeper_;
  news_judge judge_;
  socket_news last_news_;
  bool has_news_ = false;
  ticks silent_since_ = 0;
};

}  // namespace plait
