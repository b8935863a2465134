// SPDX-License-Identifier: BSD-3-Clause
/// Timed bursts between two ranks over a TCP connection of their own, without the MPI library: what
/// the library adds to the network.  [libnbc-slides, slide 9: TCP beside MPICH2]
#pragma once

#include <cstdint>

#include <plait/plait.hpp>

namespace plait::network::loggp {

/// The bursts of `burst_pair`, by send(2) and recv(2) on one blocking connection with TCP_NODELAY.
/// No thread safety.
class tcp_pair {
 public:
  /// Connects rank 1 to rank 0, by the addresses of rank 0's interfaces.  Precondition: 2 ranks.
  /// Collective.  Blocks.  Errors: `error` on both ranks where there is no way to connect.
  explicit tcp_pair(environment& env);
  ~tcp_pair();
  tcp_pair(const tcp_pair&) = delete;
  tcp_pair& operator=(const tcp_pair&) = delete;

  /// Collective over the two ranks, with the same arguments; both get both times.  Rank 0 is the
  /// client.  Blocks.  Errors: `error` when an answer is not what was sent, or the connection
  /// breaks.
  burst_times run(const burst& what);

  /// Messages whose content was checked so far, answers included, and their bytes.  On rank 0.
  [[nodiscard]] std::uint64_t messages_checked() const noexcept {
    return bursts_.messages_checked();
  }
  [[nodiscard]] std::uint64_t bytes_checked() const noexcept { return bursts_.bytes_checked(); }

 private:
  const bool is_client_;
  int socket_ = -1;
  burst_rank bursts_;
};

}  // namespace plait::network::loggp
