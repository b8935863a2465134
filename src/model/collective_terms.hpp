// SPDX-License-Identifier: BSD-3-Clause
/// The terms that the formulas of collectives are made of.  Not here: the formulas.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include <plait/model/collective.hpp>
#include <plait/model/message.hpp>

namespace plait::model::terms {

/// Holds the symbols of the formulas, for one call with two ranks or more.
class call {
 public:
  call(const parameters& network, const call_shape& shape)
      : network_(network),
        both_ways_(both_ways_of(network)),
        ranks_(shape.ranks),
        size_(shape.size_bytes),
        degree_(shape.degree),
        fragments_(std::max(1.0, std::ceil(shape.size_bytes / shape.fragment_bytes))) {}

  int ranks() const { return ranks_; }             // P
  double others() const { return ranks_ - 1.0; }   // P - 1
  double size() const { return size_; }            // m
  int degree() const { return degree_; }           // d
  double fragments() const { return fragments_; }  // f
  double fragment() const { return size_ / fragments_; }
  int rounds() const { return std::bit_width(static_cast<unsigned>(ranks_ - 1)); }  // k
  int whole_rounds() const {                                                        // ⌊log2 P⌋
    return std::bit_width(static_cast<unsigned>(ranks_)) - 1;
  }
  bool is_power_of_two() const { return std::has_single_bit(static_cast<unsigned>(ranks_)); }

  // T(m) = 2o + L + (m - 1)G: linear algorithms, pairwise exchanges and chains send this.
  double message(double bytes) const { return message_s(network_, bytes); }
  // 2o + L + mG, as the LibNBC slides count a message of a round: trees, rings and doubling.
  double round(double bytes) const { return round(network_, bytes); }
  // 2o + L + mG₂: each side sends and receives at once.
  double exchange(double bytes) const { return message_s(both_ways_, bytes); }
  double exchange_round(double bytes) const { return round(both_ways_, bytes); }
  double exchange_interval(double bytes) const { return send_interval_s(both_ways_, bytes); }
  double send_interval(double bytes) const { return send_interval_s(network_, bytes); }
  double receive_interval(double bytes) const { return receive_interval_s(network_, bytes); }
  // max(g, o) + (b - 1)G: what a chain adds per further fragment.  Ranks within receive one while
  // they pass one on.
  double chain_interval(double bytes) const {
    return std::max(network_.gap_s, network_.send_overhead_s) +
           std::max(bytes - 1, 0.0) * per_byte(ranks_ > 2 ? both_ways_ : network_);
  }
  double handshake(double bytes) const { return handshake_s(network_, bytes); }
  double send(double bytes) const { return send_processor_s(network_, bytes); }
  double receive(double bytes) const { return receive_processor_s(network_, bytes); }
  // 2o: a send and a receive.
  double both(double bytes) const { return send(bytes) + receive(bytes); }
  // mγ
  double combine(double bytes) const { return bytes * network_.reduction_per_byte_s; }
  // mκ
  double copy(double bytes) const { return bytes * network_.copy_per_byte_s; }

 private:
  static parameters both_ways_of(parameters network) {
    network.gap_per_byte_s = std::max(network.gap_per_byte_s, network.both_ways_per_byte_s);
    return network;
  }
  static double per_byte(const parameters& network) {
    return std::max(network.gap_per_byte_s, network.overhead_per_byte_s);
  }
  static double round(const parameters& network, double bytes) {
    return network.send_overhead_s + network.latency_s + network.receive_overhead_s +
           bytes * per_byte(network) + handshake_s(network, bytes);
  }

  const parameters& network_;
  const parameters both_ways_;
  int ranks_;
  double size_;
  int degree_;
  double fragments_;
};

/// Adds up rounds of different sizes, one after the other.
class sum_of_rounds {
 public:
  explicit sum_of_rounds(const call& c) : call_(c) {}
  void add(double bytes) { add(call_.round(bytes), call_.both(bytes)); }
  void add_exchange(double bytes) { add(call_.exchange_round(bytes), call_.both(bytes)); }
  void add_copy(double bytes) { add(call_.copy(bytes), call_.copy(bytes)); }
  collective_cost result() const { return sum_; }

 private:
  void add(double total_s, double processor_s) {
    sum_.total_s += total_s;
    sum_.processor_s += processor_s;
  }

  const call& call_;
  collective_cost sum_;
};

}  // namespace plait::model::terms
