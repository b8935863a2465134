// SPDX-License-Identifier: BSD-3-Clause
#include "comm/engine/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <plait/collective/algorithm.hpp>
#include <plait/core/error.hpp>

#include "comm/library_collectives.hpp"
#include "comm/matching/matching_space.hpp"

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

/// `bytes`: of a receive, what the message carried; where it is truncated not every library says.
[[nodiscard]] std::exception_ptr failure_of(const operation& op, int code, std::size_t bytes) {
  std::exception_ptr of_combination;
  if (op.what == operation::kind::collective) {
    of_combination = collective::library_collectives::finish(*op.call);
  }
  if (code != MPI_SUCCESS) {
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    if (op.what == operation::kind::receive && error_class == MPI_ERR_TRUNCATE) {
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
  if (op.what == operation::kind::receive && bytes != op.size_bytes)
    return wrong_size(op, "the message sent has " + std::to_string(bytes) + " bytes");
  return of_combination;
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

std::size_t transfer_set::many_received_bytes(const MPI_Status& status) {
  MPI_Count many = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &many);
  return static_cast<std::size_t>(many);
}

void transfer_set::conclude_otherwise(operation& op, MPI_Request request, int code,
                                      const MPI_Status& status, std::exception_ptr& failure) {
  const std::size_t bytes = op.what == operation::kind::receive ? received_bytes(status) : 0;
  if (op.varies && op.what == operation::kind::receive && code == MPI_SUCCESS)
    op.size_bytes = bytes;
  if (code != MPI_SUCCESS && op.again != nullptr) op.again->give_up(request);
  failure = failure_of(op, code, bytes);
}

void transfer_set::make_room() {
  end_ -= first_;
  const auto move_up = [this](auto& all) {
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first_));
    all.resize(std::max<std::size_t>(16, 2 * end_));
  };
  move_up(requests_);
  move_up(operations_);
  first_ = 0;
}

transfer_set::range transfer_set::to_look_at(bool all) noexcept {
  constexpr std::size_t few = 16;
  const std::size_t count = end_ - first_;
  const std::size_t part = std::max(few, count / 4);
  if (all || count <= part) return {first_, first_ + count};
  oldest_have_had_ = !oldest_have_had_;
  if (!oldest_have_had_) return {first_, first_ + part};
  if (others_ < part || others_ >= count) others_ = part;
  const std::size_t begin = first_ + others_;
  others_ += part;
  return {begin, std::min(begin + part, end_)};
}

/// MPI_Test finds a request in the call that completes it; MPI_Testsome may need the next one.
transfer_set::finished transfer_set::test_one() {
  int done = 0;
  MPI_Status status;
  const int code = MPI_Test(&requests_[first_], &done, &status);
  if (done == 0) {
    mpi_call(code, "MPI_Test");
    return {};
  }
  finished one{operations_[first_], nullptr};
  int cancelled = 0;
  if (any_cancelled_) MPI_Test_cancelled(&status, &cancelled);
  const MPI_Request request = requests_[std::exchange(first_, 0)];
  end_ = 0;
  if (cancelled == 0) conclude(*one.op, request, code, status, one.failure);
  return one;
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
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(most), requests_.data() + looked_at.begin, &count,
                                indices_.data(), statuses_.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) mpi_call(code, "MPI_Testsome");
  if (count == MPI_UNDEFINED || count == 0) return {};

  for (int i = 0; i < count; ++i) {
    const auto at =
        looked_at.begin + static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
    operation* const op = std::exchange(operations_[at], nullptr);
    finished& one = finished_.emplace_back(finished{op, nullptr});
    int cancelled = 0;
    if (any_cancelled_) MPI_Test_cancelled(&status, &cancelled);
    if (cancelled != 0) continue;
    const int own = code == MPI_ERR_IN_STATUS ? status.MPI_ERROR : code;
    conclude(*op, requests_[at], own, status, one.failure);
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
  if (empty()) first_ = end_ = 0;
}

void transfer_set::cancel_receives() noexcept {
  any_cancelled_ = true;
  for (std::size_t i = first_; i < end_; ++i) {
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
  for (std::size_t i = first_; i < end_; ++i) {
    if (operations_[i]->again != nullptr) operations_[i]->again->give_up(requests_[i]);
    if (operations_[i]->what == operation::kind::collective) {  // MPI frees no request of one
      collective::library_collectives::abandon(*operations_[i]->call);
    } else {
      MPI_Request_free(&requests_[i]);
    }
  }
  const auto all = operations();
  first_ = end_ = 0;
  return {all.begin(), all.end()};
}

}  // namespace plait
