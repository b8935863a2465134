// SPDX-License-Identifier: BSD-3-Clause
/// Lists the messages that an engine has under way and those that have come unasked, for a report
/// when nothing moves.  A survey is taken once in a while, and at a price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/comm/operation.hpp>

namespace plait {

/// Places count from 1: the k-th message of its direction, peer and tag, as matching does.
struct message_survey {
  enum class state : std::uint8_t {
    under_way,  ///< given to MPI, not completed
    parked,     ///< until an earlier one of its peer and tag has been started
    held_back,  ///< by `engine_options::disturb`, or until this rank's own send (`pairing`)
  };
  /// A message, or a collective of the MPI library's own, that was posted and has not completed.
  struct message {
    operation::kind what = operation::kind::send;
    operation::origin of = operation::origin::program;
    std::string called;  ///< "allreduce": part of a collective
    /// "allreduce": it is a collective of the MPI library's own, without direction, peer and tag.
    std::string collective;
    std::string name;
    /// "row": a communicator that is not all ranks, and its peer a rank of it.
    std::string communicator;
    int peer = 0;
    int tag = 0;
    std::size_t size_bytes = 0;
    std::uint64_t place = 0;  ///< 0: it has none
    state is = state::under_way;
    std::uint64_t behind = 0;  ///< parked: the sequence number that must be started first
    double age_s = 0;          ///< since it was posted
  };
  /// One that MPI holds and for which no receive has been started.
  struct arrival {
    std::string communicator;  ///< its name; of all ranks empty
    int matching = 0;          ///< its number, `engine::matching::communicator`
    int peer = 0;
    int tag = 0;
    bool of_program = true;  ///< not of a collective or a move, whose tags mean nothing
    std::size_t size_bytes = 0;
    std::uint64_t place = 0;
    bool receive_submitted = false;
  };

  /// False if another thread kept the token: then nothing else is known.
  bool taken = false;
  std::vector<message> messages;  ///< receives and sends under way, then those not started
  /// The first of each peer, by communicator and rank: MPI shows no more.
  std::vector<arrival> arrivals;
};

}  // namespace plait
