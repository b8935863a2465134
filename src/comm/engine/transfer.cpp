// SPDX-License-Identifier: BSD-3-Clause
#include "comm/engine/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <plait/collective/algorithm.hpp>
#include <plait/core/error.hpp>

#include "comm/byte_count.hpp"
#include "comm/library_collectives.hpp"
#include "comm/matching/matching_space.hpp"
#include "comm/matching/repetition.hpp"
#include "comm/mpi_call.hpp"

namespace plait {
namespace {

/// Ranks that name sizes that do not fit: in a collective that is the program's mistake.
[[nodiscard]] std::exception_ptr wrong_size(const operation& op, const std::string& why) {
  const std::string text = describe(op) + ": " + why;
  if (op.of == operation::origin::program || op.of == operation::origin::move) {
    return std::make_exception_ptr(error(text));
  }
  return std::make_exception_ptr(usage_error(text + "; do the ranks name the same sizes?"));
}

[[nodiscard]] std::size_t received_bytes(const MPI_Status& status) {
  int few = 0;
  MPI_Get_count(&status, MPI_BYTE, &few);
  if (few != MPI_UNDEFINED) return static_cast<std::size_t>(few);
  MPI_Count many = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &many);
  return static_cast<std::size_t>(many);
}

/// Returns the number of bytes that the message carried.
[[nodiscard]] std::size_t received(const operation& op, const MPI_Status& status) {
  return op.what == operation::kind::receive ? received_bytes(status) : op.size_bytes;
}

[[nodiscard]] std::exception_ptr failure_of(const operation& op, int code,
                                            const MPI_Status& status) {
  std::exception_ptr of_combination;
  if (op.what == operation::kind::collective) {
    of_combination = collective::library_collectives::finish(*op.call);
  }
  if (code != MPI_SUCCESS) {
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    if (op.what == operation::kind::receive && error_class == MPI_ERR_TRUNCATE) {
      const std::size_t bytes = received_bytes(status);  // not every library says
      return wrong_size(op, bytes > op.size_bytes ? "the message sent is larger, it has " +
                                                        std::to_string(bytes) + " bytes"
                                                  : std::string("the message sent is larger"));
    }
    const std::string text = describe(op) + ": " + mpi_error_text(code);
    if (op.what == operation::kind::collective && error_class == MPI_ERR_TRUNCATE) {
      return std::make_exception_ptr(usage_error(text + "; this rank has " +
                                                 std::to_string(op.size_bytes) +
                                                 " bytes; do the ranks name the same sizes?"));
    }
    return std::make_exception_ptr(error(text));
  }
  if (op.what == operation::kind::receive) {
    const std::size_t bytes = received_bytes(status);
    if (bytes != op.size_bytes)
      return wrong_size(op, "the message sent has " + std::to_string(bytes) + " bytes");
  }
  return of_combination;
}

/// Returns whether a small message is over when it has been started.  Most sends are, and so are
/// receives of collectives, on the rank that calls last: for its next step need not wait then.
/// Errors: `error` or usage_error with what is wrong.
[[nodiscard]] bool is_over_at_once(const operation& op, MPI_Request& request) {
  if (engine::may_start_at_once(op)) return transfer_set::is_over(request);
  constexpr std::size_t largest_bytes = 1024;
  if (op.what != operation::kind::receive || op.of != operation::origin::collective ||
      op.size_bytes > largest_bytes)
    return false;
  int done = 0;
  MPI_Status status;
  const int code = MPI_Test(&request, &done, &status);
  if (code == MPI_SUCCESS && done == 0) return false;
  if (const auto failure = failure_of(op, code, status)) std::rethrow_exception(failure);
  return true;
}

}  // namespace

std::string describe(const operation& op) {
  using origin = operation::origin;
  const std::string suffix = op.via->among()->suffix();
  const std::string name = op.name != nullptr ? std::string(" '") + op.name + "'" : "";
  if (op.what == operation::kind::collective) {
    return std::string(to_string(op.called)) + name + suffix + " of the MPI library";
  }
  const bool send = op.what == operation::kind::send;
  const bool in_collective = op.of == origin::collective || op.of == origin::agreement;
  return (in_collective ? std::string(to_string(op.called)) + name + ": " : "") +
         (send ? "send" : "receive") + (in_collective ? "" : name) +
         (op.varies && !send ? " of at most " : " of ") + std::to_string(op.size_bytes) +
         " bytes " + (send ? "to" : "from") + " rank " + std::to_string(op.peer) + suffix +
         (op.of == origin::program ? ", tag " + std::to_string(op.tag) : "");
}

bool transfer_set::start(operation& op, int mpi_tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Request* const kept =
      op.again != nullptr ? op.again->request_for(op, mpi_tag, comm) : nullptr;
  if (kept != nullptr) {
    mpi_call(MPI_Start(kept), "MPI_Start");
    request = *kept;
  } else {
    with_count(op.size_bytes, [&](int count, MPI_Datatype type) {
      if (op.what == operation::kind::send) {
        mpi_call(MPI_Isend(op.buffer, count, type, op.peer, mpi_tag, comm, &request), "MPI_Isend");
      } else {
        mpi_call(MPI_Irecv(op.buffer, count, type, op.peer, mpi_tag, comm, &request), "MPI_Irecv");
      }
    });
  }
  if (kept == nullptr && is_over_at_once(op, request)) return true;
  add(op, request);
  return false;
}

void transfer_set::add(operation& op, MPI_Request request) {
  if (requests_.size() == requests_.capacity() && 2 * first_ >= requests_.size()) {
    const auto room = static_cast<std::ptrdiff_t>(std::exchange(first_, 0));
    requests_.erase(requests_.begin(), requests_.begin() + room);
    operations_.erase(operations_.begin(), operations_.begin() + room);
  }
  requests_.push_back(request);
  operations_.push_back(&op);
}

transfer_set::range transfer_set::to_look_at(bool all) noexcept {
  constexpr std::size_t few = 16;
  const std::size_t count = operations_.size() - first_;
  const std::size_t part = std::max(few, count / 4);
  if (all || count <= part) return {first_, first_ + count};
  oldest_have_had_ = !oldest_have_had_;
  if (!oldest_have_had_) return {first_, first_ + part};
  if (others_ < part || others_ >= count) others_ = part;
  const std::size_t begin = first_ + others_;
  others_ += part;
  return {begin, std::min(begin + part, operations_.size())};
}

/// Returns how many of them have completed; `indices_` and `statuses_` say which and how.  Open MPI
/// looks again at a single request once it has let messages move, and so finds what has just come.
int transfer_set::test_some(const range& looked_at) {
  MPI_Request* const first = requests_.data() + looked_at.begin;
  const std::size_t most = looked_at.end - looked_at.begin;
  int count = 0;
  if (most == 1) {
    MPI_Status& status = statuses_.front();
    const int code = MPI_Test(first, &count, &status);
    have_errors_ = code != MPI_SUCCESS;
    if (have_errors_) status.MPI_ERROR = code;
    indices_.front() = 0;
    return have_errors_ ? 1 : count;
  }
  const int code =
      MPI_Testsome(static_cast<int>(most), first, &count, indices_.data(), statuses_.data());
  have_errors_ = code == MPI_ERR_IN_STATUS;
  if (code != MPI_SUCCESS && !have_errors_) mpi_call(code, "MPI_Testsome");
  return count == MPI_UNDEFINED ? 0 : count;
}

std::span<const transfer_set::finished> transfer_set::test(bool all) {
  finished_.clear();
  if (empty()) return {};
  const range looked_at = to_look_at(all);
  const std::size_t most = looked_at.end - looked_at.begin;
  if (indices_.size() < most) {
    indices_.resize(most);
    statuses_.resize(most);
  }
  const int count = test_some(looked_at);
  if (count == 0) return {};

  for (int i = 0; i < count; ++i) {
    const auto at =
        looked_at.begin + static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
    int cancelled = 0;
    if (any_cancelled_) MPI_Test_cancelled(&status, &cancelled);
    operation* op = std::exchange(operations_[at], nullptr);
    const int own = have_errors_ ? status.MPI_ERROR : MPI_SUCCESS;
    if (op->varies && own == MPI_SUCCESS && cancelled == 0) op->size_bytes = received(*op, status);
    if (own != MPI_SUCCESS && op->again != nullptr) op->again->give_up(requests_[at]);
    finished_.push_back({op, cancelled != 0 ? nullptr : failure_of(*op, own, status)});
  }
  take_out_finished(looked_at);
  return finished_;
}

/// Completed requests are gone from the arrays before anybody is told.  MPI has freed them, or made
/// them inactive if they are persistent: then their repetition has them.  Those that are left move
/// up to the younger ones, for it is the oldest that complete.
void transfer_set::take_out_finished(const range& looked_at) noexcept {
  std::size_t to = looked_at.end;
  for (std::size_t i = looked_at.end; i-- > first_;) {
    if (operations_[i] == nullptr) continue;
    --to;
    operations_[to] = operations_[i];
    requests_[to] = requests_[i];
  }
  first_ = to;
  if (!empty()) return;
  first_ = 0;
  operations_.clear();
  requests_.clear();
}

void transfer_set::cancel_receives() noexcept {
  any_cancelled_ = true;
  for (std::size_t i = first_; i < requests_.size(); ++i) {
    if (operations_[i]->what == operation::kind::receive) MPI_Cancel(&requests_[i]);
  }
}

void transfer_set::drop_messages_to_self(const matching_space& among) noexcept try {
  const auto to_self = [&among](const operation* op) {
    return op->what == operation::kind::send && op->via->among() == &among &&
           op->peer == among.rank;
  };
  if (std::ranges::none_of(operations(), to_self)) return;
  while (true) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    mpi_call(MPI_Improbe(among.rank, MPI_ANY_TAG, among.messages, &found, &message, &status),
             "MPI_Improbe");
    if (found == 0) return;
    std::vector<std::byte> dropped(received_bytes(status));
    with_count(dropped.size(), [&](int count, MPI_Datatype type) {
      mpi_call(MPI_Mrecv(dropped.data(), count, type, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    });
  }
} catch (const error&) {
  // The sends stay in flight, which the caller sees.
}

std::vector<operation*> transfer_set::abandon() {
  for (std::size_t i = first_; i < requests_.size(); ++i) {
    if (operations_[i]->again != nullptr) operations_[i]->again->give_up(requests_[i]);
    if (operations_[i]->what == operation::kind::collective) {  // MPI frees no request of one
      collective::library_collectives::abandon(*operations_[i]->call);
    } else {
      MPI_Request_free(&requests_[i]);
    }
  }
  requests_.clear();
  operations_.erase(operations_.begin(), operations_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
  return std::exchange(operations_, {});
}

}  // namespace plait
