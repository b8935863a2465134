// SPDX-License-Identifier: BSD-3-Clause
#include "comm/blocking/told_messages.hpp"

#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

#include "comm/blocking/await.hpp"
#include "comm/native.hpp"

namespace plait {
namespace {

/// A communicator as all its ranks know it: by its ranks, in their order.
struct known_communicator {
  std::vector<int> ranks;  ///< among all
  [[nodiscard]] std::uint32_t number() const noexcept {
    std::uint32_t hash = 2166136261U;
    for (const int rank : ranks) hash = (hash ^ static_cast<std::uint32_t>(rank)) * 16777619U;
    return hash | 0x8000'0000U;  // none of the engine's, which count from 0
  }
};

/// Returns nothing for one between two groups.  With the token.
[[nodiscard]] std::optional<known_communicator> known(MPI_Comm comm, engine& of) {
  int between_groups = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  PMPI_Comm_size(comm, &size);
  if (between_groups != 0) return std::nullopt;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  PMPI_Comm_group(native_access::windows_of(of), &all);
  PMPI_Comm_group(comm, &some);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  known_communicator made{own};
  PMPI_Group_translate_ranks(some, size, own.data(), all, made.ranks.data());
  PMPI_Group_free(&some);
  PMPI_Group_free(&all);
  return made;
}

/// Returns the bytes of a message, or MPI_UNDEFINED.
[[nodiscard]] int bytes_of(const message_envelope& one, const MPI_Status& status) {
  int count = one.count;
  if (!one.sent) PMPI_Get_count(&status, one.type, &count);
  int each = 0;
  PMPI_Type_size(one.type, &each);
  return count == MPI_UNDEFINED ? MPI_UNDEFINED : count * each;
}

}  // namespace

void told_messages::add(const message_envelope& one, const MPI_Status& status) {
  if (one.peer == MPI_PROC_NULL) return;
  std::lock_guard guard(*here_);
  engine* const messages = here_->messages();
  const auto among = messages != nullptr ? known(one.comm, *messages) : std::nullopt;
  const int bytes = bytes_of(one, status);
  if (!among.has_value()) return here_->not_told("messages between two groups");
  if (bytes == MPI_UNDEFINED) return here_->not_told("messages of a part of an element");
  const int peer = one.sent ? one.peer : status.MPI_SOURCE;
  here_->completed({.sent = one.sent,
                    .peer = among->ranks[static_cast<std::size_t>(peer)],
                    .tag = one.sent ? one.tag : status.MPI_TAG,
                    .communicator = among->number(),
                    .size_bytes = static_cast<std::size_t>(bytes),
                    .begin = begin_});
}

void do_not_tell(const char* calls) {
  blocking_calls* const here = interceptor();
  if (here == nullptr || !here->wants_messages()) return;
  std::lock_guard guard(*here);
  here->not_told(calls);
}

void do_not_tell_of_collective(MPI_Comm among) {
  int between_groups = 0;
  int size = 0;
  if (blocking_calls* const here = interceptor(); here == nullptr || !here->wants_messages())
    return;
  PMPI_Comm_test_inter(among, &between_groups);
  PMPI_Comm_size(among, &size);
  if (between_groups != 0 || size > 1) do_not_tell("collectives");
}

}  // namespace plait
