// SPDX-License-Identifier: BSD-3-Clause
/// Bursts of messages between two ranks as plait's tasks send them, which is how its collectives
/// do.  The library's own blocking calls: plait/comm/burst.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plait/plait.hpp>

namespace plait::network::collectives {

/// A message as collectives send it, in pieces where it is long.
void send_in_pieces(runtime& rt, std::span<const std::byte> whole, int to, int tag);
void receive_in_pieces(runtime& rt, std::span<std::byte> whole, int from, int tag);

/// Common start of both ranks, after neither has exchanged anything for a while.
struct common_start {
  double rest_s = 0;
  double offset_s = 0;  ///< the client's clock minus this rank's
};

/// A client and a server.  Members are collective over the two, with the same arguments, and both
/// get the same times.  Nothing else may be in flight.
class task_pair {
 public:
  task_pair(runtime& rt, int client, int server);

  [[nodiscard]] bool takes_part() const noexcept;

  /// Runs a burst and returns its times, as `burst_pair::run` does.  The client's sends are
  /// submitted one after the other, the server's receives before; the answer leaves as soon as the
  /// last message is there.  Errors: `error` when an answer is not what was sent.
  burst_times run(const burst& what);

  /// Messages that wait for each other, in one buffer on each side that has just been written, the
  /// first of them the client's: to the end of the last.
  double in_turn_s(int messages, std::size_t size_bytes, const common_start& when);

 private:
  [[nodiscard]] int peer() const noexcept { return is_client_ ? server_ : client_; }
  void make_room(const burst& what);
  double send_all(const burst& what);
  double receive_all(const burst& what);
  double received_apart_s(const burst& what);
  /// Until the other one is here, too.
  void meet();
  burst_times exchange(double own_s);

  runtime& rt_;
  int client_;
  int server_;
  bool is_client_;
  int made_ = 0;  ///< messages
  std::vector<std::byte> message_;
  std::vector<std::byte> answer_;
  std::vector<std::vector<std::byte>> landing_;
};

}  // namespace plait::network::collectives
