// SPDX-License-Identifier: BSD-3-Clause
/// A network between a client and a server, as LogGP has it, whose link may let some bytes through
/// at once after a rest.  Time is computed, not taken.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include <plait/comm/burst.hpp>
#include <plait/model/message.hpp>

namespace plait::test {

/// One direction of a link with a token bucket, which is full at first.
class shaped_link {
 public:
  shaped_link(double rate_Bps, double bucket_bytes)
      : rate_Bps_(rate_Bps), bucket_bytes_(bucket_bytes), tokens_(bucket_bytes) {}

  /// Returns the time at which the last byte of a message has left the link.  The message arrives
  /// at `at_s`; messages leave in order.
  double carry(double at_s, double bytes) {
    const double start_s = std::max(at_s, last_s_);
    tokens_ = std::min(bucket_bytes_, tokens_ + (start_s - last_s_) * rate_Bps_);
    const double missing = std::max(0.0, bytes - tokens_);
    tokens_ = std::max(0.0, tokens_ - bytes);
    last_s_ = start_s + missing / rate_Bps_;
    return last_s_;
  }

 private:
  double rate_Bps_;
  double bucket_bytes_;
  double tokens_;
  double last_s_ = 0;
};

/// Runs bursts.  A message takes o_s of the client, then the link after those before it, L, and o_r
/// of the server; a link without a bucket takes g + (s - 1) G, as LogGP says.
class shaped_network {
 public:
  explicit shaped_network(const model::parameters& network) : network_(network) {}
  shaped_network(const model::parameters& network, double rate_Bps, double bucket_bytes)
      : network_(network),
        shaped_(true),
        there_(rate_Bps, bucket_bytes),
        back_(rate_Bps, bucket_bytes) {}

  /// Every time is off by at most this share.
  void add_noise(double share, unsigned seed) {
    noise_ = share;
    random_.seed(seed);
  }

  /// From `size_bytes` on another network's parameters hold.
  void switch_protocol(double size_bytes, const model::parameters& network) {
    switch_bytes_ = size_bytes;
    beyond_ = network;
  }

  [[nodiscard]] const std::vector<burst>& bursts() const { return bursts_; }

  burst_times run(const burst& what) {
    bursts_.push_back(what);
    const model::parameters& net =
        static_cast<double>(what.size_bytes) < switch_bytes_ ? network_ : beyond_;
    const auto size = static_cast<double>(what.size_bytes);
    now_s_ += what.rest_s;
    const double start_s = now_s_;
    double client_s = start_s;  // the client is free
    double link_s = start_s;    // the network takes the next message
    double server_s = start_s;
    double first_s = start_s;
    for (int i = 0; i < what.messages; ++i) {
      if (i > 0) client_s += what.send_pause_s;
      const double send_s = std::max(client_s, link_s);
      client_s = send_s + send_processor_s(net, size);
      link_s = shaped_ ? send_s : send_s + net.gap_s + (size - 1) * net.gap_per_byte_s;
      const double ready_s = i > 0 ? server_s + what.receive_pause_s : start_s;
      server_s = std::max(arrival_s(there_, net, client_s, size), ready_s) +
                 receive_processor_s(net, size);
      if (i == 0) first_s = server_s;
    }
    const double answer_s = server_s + send_processor_s(net, size);
    now_s_ = arrival_s(back_, net, answer_s, size) + receive_processor_s(net, size);
    return {noisy(now_s_ - start_s), noisy(server_s - first_s)};
  }

 private:
  double arrival_s(shaped_link& link, const model::parameters& net, double sent_s, double size) {
    const double crossed_s =
        shaped_ ? link.carry(sent_s, size) : sent_s + (size - 1) * net.gap_per_byte_s;
    return crossed_s + net.latency_s;
  }
  double noisy(double time_s) {
    return time_s * std::uniform_real_distribution<double>(1 - noise_, 1 + noise_)(random_);
  }

  model::parameters network_;
  model::parameters beyond_;
  double switch_bytes_ = 1e300;
  bool shaped_ = false;
  shaped_link there_{1, 0};
  shaped_link back_{1, 0};
  double now_s_ = 0;
  double noise_ = 0;
  std::mt19937 random_;
  std::vector<burst> bursts_;
};

}  // namespace plait::test
