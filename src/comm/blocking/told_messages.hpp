// SPDX-License-Identifier: BSD-3-Clause
/// Tells a runtime of the messages that blocking calls of its tasks have sent and received.
#pragma once

#include <mpi.h>
#include <plait/comm/blocking_calls.hpp>
#include <plait/core/clock.hpp>

namespace plait {

/// Holds what a call says of its message.
struct message_envelope {
  bool sent;
  int count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm comm;
};

/// Those of one call.
class told_messages {
 public:
  explicit told_messages(blocking_calls* here) noexcept
      : here_(here != nullptr && here->wants_messages() ? here : nullptr) {}

  [[nodiscard]] bool are_wanted() const noexcept { return here_ != nullptr; }
  /// Notes that MPI is told of them now.  With the token: so they are matched in this order.
  void post() noexcept {
    if (are_wanted()) begin_ = now_ticks();
  }

  /// Tells a message that has completed, with its status.  Precondition: messages are wanted.
  void add(const message_envelope& one, const MPI_Status& status);

 private:
  blocking_calls* const here_;
  ticks begin_ = 0;
};

/// Tells that the task's call is not told of, where messages are wanted.
void do_not_tell(const char* calls);
/// As that, of a collective, unless the rank is alone in it.
void do_not_tell_of_collective(MPI_Comm among);

}  // namespace plait
