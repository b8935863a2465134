// SPDX-License-Identifier: BSD-3-Clause
/// Time that messages need on the network that was measured, and when those of a wait could have
/// been there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "attach/after/rank_profile.hpp"

namespace plait::attach {

/// Model of the time that a message needs when it is alone on its way: latency + bytes * seconds
/// per byte.
class network_model {
 public:
  /// Of what rank 0 has measured.  `host` is a hash of the rank's own.
  network_model(const profile_header& first, std::uint64_t host) noexcept
      : of_(first), host_(host) {}
  [[nodiscard]] bool is_known() const noexcept {
    return of_.latency_s[0] > 0 || of_.latency_s[1] > 0;
  }
  [[nodiscard]] double message_s(std::uint64_t other_host, std::uint64_t bytes) const noexcept {
    const int within = is_within(other_host);
    return of_.latency_s[within] + static_cast<double>(bytes) * of_.seconds_per_byte[within];
  }
  /// Processor time that either rank gives for it.
  [[nodiscard]] double processor_s(std::uint64_t other_host, std::uint64_t bytes) const noexcept {
    return static_cast<double>(bytes) * of_.processor_s_per_byte[is_within(other_host)];
  }
  /// Time beyond that, as a part of it, while as much goes the other way.
  [[nodiscard]] double slower_both_ways(std::uint64_t other_host) const noexcept {
    const int within = is_within(other_host);
    const double one_way = of_.seconds_per_byte[within];
    const double each_way = of_.seconds_per_byte_each_way[within];
    return one_way > 0 && each_way > 0 ? each_way / one_way - 1 : 0;
  }
  /// The part of the time of data both ways that the processor gives, on the slower network.
  [[nodiscard]] double processor_share() const noexcept {
    const int within = of_.latency_s[0] > 0 ? 0 : 1;
    const double each_way =
        std::max(of_.seconds_per_byte[within], of_.seconds_per_byte_each_way[within]);
    return each_way > 0 ? std::min(1.0, 2 * of_.processor_s_per_byte[within] / each_way) : 1;
  }

 private:
  [[nodiscard]] int is_within(std::uint64_t other_host) const noexcept {
    return other_host == host_ ? 1 : 0;
  }
  const profile_header& of_;
  std::uint64_t host_;
};

/// When the messages of a wait could have been there, and what they would have taken from the
/// computation before it.
class arrival_estimate {
 public:
  void add(bool is_send, double both_s, double needs_s, double slower_both_ways) noexcept {
    direction& way = is_send ? out_ : in_;
    way.first_s = std::min(way.first_s, both_s);
    way.needs_s += needs_s;
    slower_both_ways_ = std::max(slower_both_ways_, slower_both_ways);
    there_s_ = std::max(there_s_, both_s + needs_s);
  }
  void take(double processor_s) noexcept { processor_s_ += processor_s; }
  /// Nothing is saved beyond what one of the ends computed meanwhile.
  void allow(double computed_s) noexcept { computed_s_ = std::max(computed_s_, computed_s); }
  [[nodiscard]] double computed_s() const noexcept { return computed_s_; }
  void add(double there_s) noexcept { there_s_ = std::max(there_s_, there_s); }
  /// Messages one way come one after another, and more slowly while others go the other way.
  [[nodiscard]] double there_s() const noexcept {
    double latest_s = there_s_;
    const double slower_s = slower_both_ways_ * std::min(in_.needs_s, out_.needs_s);
    for (const direction& way : {in_, out_}) {
      if (way.needs_s > 0) latest_s = std::max(latest_s, way.first_s + way.needs_s + slower_s);
    }
    return latest_s;
  }
  [[nodiscard]] double processor_s() const noexcept { return processor_s_; }

 private:
  struct direction {
    double first_s = 1e300;
    double needs_s = 0;
  };
  direction in_;
  direction out_;
  double there_s_ = -1e300;
  double slower_both_ways_ = 0;
  double processor_s_ = 0;
  double computed_s_ = 0;
};

}  // namespace plait::attach
