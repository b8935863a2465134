// SPDX-License-Identifier: BSD-3-Clause
/// Timed messages between two ranks: some of them there, one answer back.  Only the traffic; what
/// its times say of the network is plait/probe's business.
#pragma once

#include <cstdint>

#include <plait/comm/burst_rank.hpp>
#include <plait/comm/environment.hpp>

namespace plait {

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
  [[nodiscard]] std::uint64_t messages_checked() const noexcept {
    return bursts_.messages_checked();
  }
  [[nodiscard]] std::uint64_t bytes_checked() const noexcept { return bursts_.bytes_checked(); }

 private:
  environment& env_;
  int client_;
  int server_;
  burst_rank bursts_;
};

}  // namespace plait
