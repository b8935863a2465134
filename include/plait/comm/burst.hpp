// SPDX-License-Identifier: BSD-3-Clause
/// Timed messages between two ranks: some of them there, one answer back.  Only the traffic; what
/// its times say of the network is plait/probe's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/comm/environment.hpp>

namespace plait {

/// One burst: the client sends `messages` of `size_bytes` each, by blocking sends; the server
/// answers with as many bytes as one of them once it has received them all.
struct burst {
  int messages = 1;            ///< at least 1
  std::size_t size_bytes = 1;  ///< 1 to 2^30
  double rest_s = 0;           ///< nothing is on the way for so long before it
  double send_pause_s = 0;     ///< the client works so long between two sends
  double receive_pause_s = 0;  ///< the server works so long between two receives
};

/// Times of one burst, on either side.
struct burst_times {
  double round_trip_s = 0;  ///< the client's, from its first send to the answer
  double receiving_s = 0;   ///< the server's, from its first receive's end to its last one's
};

/// A client and a server, which times bursts between them by the library's own MPI_Send and
/// MPI_Recv.  No tasks may be in flight: a whole burst holds the token.
class burst_pair {
 public:
  /// Preconditions: two different ranks of `env`, which outlives this.  Local.
  burst_pair(environment& env, int client, int server);

  /// Collective over the two ranks, with the same arguments; both get both times.  Blocks.  Errors:
  /// `error` when an answer is not what was sent, and MPI's.
  burst_times run(const burst& what);

  /// Messages whose content was checked so far, answers included, and their bytes.  On the client.
  [[nodiscard]] std::uint64_t messages_checked() const noexcept { return messages_checked_; }
  [[nodiscard]] std::uint64_t bytes_checked() const noexcept { return bytes_checked_; }

 private:
  double send_all(const burst& what);
  double receive_all(const burst& what);
  burst_times exchange(double own_s);

  environment& env_;
  int client_;
  int server_;
  std::uint64_t bursts_ = 0;
  std::uint64_t messages_checked_ = 0;
  std::uint64_t bytes_checked_ = 0;
  std::vector<std::byte> message_;
  std::vector<std::byte> answer_;
};

}  // namespace plait
