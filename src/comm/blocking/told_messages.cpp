// SPDX-License-Identifier: BSD-3-Clause
#include "comm/blocking/told_messages.hpp"

#include <mutex>
#include <optional>
#include <vector>

#include "comm/blocking/await.hpp"
#include "comm/native.hpp"

namespace plait {
namespace {

/// Returns a number by which all ranks of a communicator know it: of its ranks, in their order.
[[nodiscard]] std::uint32_t number_of(const std::vector<int>& ranks) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const int rank : ranks) hash = (hash ^ static_cast<std::uint32_t>(rank)) * 16777619U;
  return hash;
}

/// Returns the number of ranks; nothing for a communicator between two groups.  With the token.
[[nodiscard]] std::optional<int> size_of(MPI_Comm comm) {
  int between_groups = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  PMPI_Comm_size(comm, &size);
  return between_groups != 0 ? std::nullopt : std::optional(size);
}

/// Returns the ranks among all; nothing for one between two groups.  With the token.
[[nodiscard]] std::optional<std::vector<int>> ranks_of(MPI_Comm comm, engine& of) {
  const std::optional<int> size = size_of(comm);
  if (!size.has_value()) return std::nullopt;
  return ranks_in(native_access::windows_of(of), comm, *size);
}

/// Returns the bytes of a message; nothing where they are no whole number of elements.
[[nodiscard]] std::optional<std::size_t> bytes_of(const message_envelope& one,
                                                  const MPI_Status& status) {
  int count = one.count;
  if (!one.sent) PMPI_Get_count(&status, one.type, &count);
  int each = 0;
  PMPI_Type_size(one.type, &each);
  if (count == MPI_UNDEFINED || each == MPI_UNDEFINED) return std::nullopt;
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(each);
}

}  // namespace

void told_messages::add(const message_envelope& one, const MPI_Status& status) {
  if (one.peer == MPI_PROC_NULL) return;
  std::lock_guard guard(*here_);
  engine* const messages = here_->messages();
  const auto among = messages != nullptr ? ranks_of(one.comm, *messages) : std::nullopt;
  const std::optional<std::size_t> bytes = bytes_of(one, status);
  if (!among.has_value()) return here_->not_told("messages between two groups");
  if (!bytes.has_value()) return here_->not_told("messages of a part of an element");
  const auto in_group = static_cast<std::size_t>(one.sent ? one.peer : status.MPI_SOURCE);
  const int peer = (*among)[in_group];
  if (peer == MPI_UNDEFINED) return here_->not_told("messages to ranks of other programs");
  here_->completed({.sent = one.sent,
                    .peer = peer,
                    .tag = one.sent ? one.tag : status.MPI_TAG,
                    .communicator = number_of(*among),
                    .size_bytes = *bytes,
                    .begin = begin_});
}

void do_not_tell(const char* calls) {
  blocking_calls* const here = interceptor();
  if (here == nullptr || !here->wants_messages()) return;
  std::lock_guard guard(*here);
  here->not_told(calls);
}

void do_not_tell_of_collective(MPI_Comm among) {
  blocking_calls* const here = interceptor();
  if (here == nullptr || !here->wants_messages()) return;
  std::lock_guard guard(*here);
  if (size_of(among) != 1) here->not_told("collectives");
}

}  // namespace plait
