// SPDX-License-Identifier: BSD-3-Clause
/// The network: streams between ranks, in order, that share the ports of nodes.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include <plait/simulate/dataflow.hpp>

#include "simulate/plait/critical_steps.hpp"
#include "simulate/plait/event_queue.hpp"

namespace plait::simulate {

/// Carries packets.  A port's rate is shared equally by the streams that are busy there; a stream
/// goes at the smaller of its two shares.  A packet without bytes passes at once, in its turn.
class wires {
 public:
  using number = std::uint32_t;
  struct packet {
    number message = 0;
    std::uint64_t size_bytes = 0;
    number entered = 0;  ///< step
  };
  struct departure {
    packet what;
    number left = 0;              ///< step at which the last byte left
    std::int64_t latency_ps = 0;  ///< until it arrives
    std::int64_t took_ps = 0;     ///< of its bytes, on their own
  };

  wires(const machine& on, std::uint32_t ranks, critical_steps& steps, event_queue& events);

  /// Puts a packet into the stream between two ranks.
  void send(number from, number to, const packet& what, std::int64_t now_ps);
  /// Starts a flow on the machine's links.  (event::flow_starts)
  void start_flow(number stream, std::int64_t now_ps);
  /// Starts what waits in a stream.  (event::stream_free)
  void go_on(number stream, std::int64_t now_ps);
  /// Ends a flow, unless the event is an old one, and returns true then.  (event::flow_ended)
  [[nodiscard]] bool end_flow(const event& ended, departure& left);
  /// Takes the packets without bytes that have left meanwhile.
  [[nodiscard]] std::vector<departure> take_left() { return std::exchange(left_, {}); }

 private:
  struct port {
    std::vector<number> busy;  ///< streams
    double tokens_bytes = 0;
    std::int64_t idle_since_ps = 0;
  };
  struct stream {
    number out = 0;  ///< ports
    number in = 0;
    bool within_node = false;
    std::int64_t latency_ps = 0;
    bool flows = false;
    std::deque<packet> waiting;
    std::int64_t free_at_ps = 0;
    number last = 0;  ///< step of the last departure
    number began = 0;
    double left_ps = 0;  ///< of the flow, alone at the port
    double share = 1;
    std::int64_t since_ps = 0;
    std::uint32_t version = 0;
  };

  [[nodiscard]] number stream_of(number from, number to);
  [[nodiscard]] departure leaves(const stream& one) const;
  void begin_flow(stream& one, number which, std::int64_t now_ps);
  [[nodiscard]] double take_tokens(stream& one, double bytes, std::int64_t now_ps);
  void share_anew(number port_out, number port_in, std::int64_t now_ps);
  void set_share(number which, std::int64_t now_ps);
  void leave_port(port& at, number which, std::int64_t now_ps);

  const machine& on_;
  critical_steps& steps_;
  event_queue& events_;
  std::vector<number> node_of_;
  std::vector<port> out_;
  std::vector<port> in_;
  std::vector<stream> streams_;
  std::unordered_map<std::uint64_t, number> between_;
  std::vector<departure> left_;
};

}  // namespace plait::simulate
