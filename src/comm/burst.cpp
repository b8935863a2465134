// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <span>
#include <string>

#include <mpi.h>
#include <plait/comm/burst.hpp>
#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"
#include "comm/native.hpp"
#include "comm/rank_pair.hpp"

namespace plait {
namespace {

constexpr std::array burst_tags{5, 3, 4};  // by burst_part
constexpr int times_tag = 6;
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// MPI_Send and MPI_Recv of a thread that holds the token.
struct burst_wire {
  static constexpr const char* name = "";

  void send(burst_part part, std::span<const std::byte> bytes) const {
    mpi_call(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer, tag_of(part),
                      native_access::of(env).internal),
             "MPI_Send");
  }
  void receive(burst_part part, std::span<std::byte> bytes) const {
    mpi_call(MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer, tag_of(part),
                      native_access::of(env).internal, MPI_STATUS_IGNORE),
             "MPI_Recv");
  }
  [[nodiscard]] double swap(double own_s) const { return swap_times(env, peer, times_tag, own_s); }

  [[nodiscard]] static int tag_of(burst_part part) noexcept {
    return burst_tags[static_cast<std::size_t>(part)];
  }

  environment& env;
  int peer;
};

}  // namespace

burst_pair::burst_pair(environment& env, int client, int server)
    : env_(env), client_(client), server_(server) {
  expect_pair(env, client, server);
}

burst_times burst_pair::run(const burst& what) {
  PLAIT_EXPECTS(env_.rank() == client_ || env_.rank() == server_, std::to_string(env_.rank()));
  PLAIT_EXPECTS(what.messages >= 1, std::to_string(what.messages));
  PLAIT_EXPECTS(what.size_bytes >= 1 && what.size_bytes <= most_bytes,
                std::to_string(what.size_bytes));
  mpi_token_guard guard(env_.token());
  const bool is_client = env_.rank() == client_;
  return bursts_.run(burst_wire{env_, is_client ? server_ : client_}, is_client, what);
}

}  // namespace plait
