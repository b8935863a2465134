// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matching/message_survey.hpp"

#include <algorithm>
#include <utility>

#include <plait/comm/collective/library_call.hpp>
#include <sched.h>

#include "comm/mpi_call.hpp"

namespace plait {
namespace {

using state = message_survey::state;

[[nodiscard]] message_survey::message describe(const survey_scope& scope, const operation& op,
                                               state is) {
  const bool has_place = op.remote == nullptr || op.via != nullptr;
  const bool in_collective =
      op.of == operation::origin::collective || op.of == operation::origin::agreement;
  return {.what = op.what,
          .of = op.of,
          .called = in_collective ? std::string(to_string(op.called)) : std::string(),
          .collective = op.what == operation::kind::collective ? std::string(to_string(op.called))
                                                               : std::string(),
          .name = op.name != nullptr ? op.name : scope.name_of(op),
          .communicator = std::string(engine::matching_of(op).name),
          .peer = op.peer,
          .tag = op.tag,
          .size_bytes = op.size_bytes,
          .place = has_place ? op.sequence + 1 : 0,
          .is = is,
          .behind = is == state::parked ? op.via->next_place(op.via->residue(op)) + 1 : 0,
          .age_s = ticks_to_seconds(now_ticks() - op.posted_at)};
}

[[nodiscard]] std::vector<message_survey::message> posted_messages(const survey_scope& scope) {
  std::vector<message_survey::message> list;
  for (const operation* op : scope.transfers.operations()) {
    list.push_back(describe(scope, *op, state::under_way));
  }
  for (const operation* op : scope.held_back) {
    list.push_back(describe(scope, *op, state::held_back));
  }
  for (const served_window* window : scope.windows) {
    window->service->for_each(
        [&](const operation& op) { list.push_back(describe(scope, op, state::under_way)); });
  }
  for (const matching_space* space : scope.spaces) {
    for (const auto& [key, via] : space->channels) {
      for (const operation* op : via->parked()) list.push_back(describe(scope, *op, state::parked));
    }
  }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return std::pair(a.is, a.what) < std::pair(b.is, b.what);
  });
  return list;
}

/// MPI has sorted the message to no receive, so it is the one after those of its residue that have
/// been started.
[[nodiscard]] message_survey::arrival identify(const survey_scope& scope,
                                               const matching_space& space, MPI_Status& status) {
  message_survey::arrival found;
  if (!space.is_world()) found.communicator = space.name;
  found.matching = space.number;
  found.peer = status.MPI_SOURCE;
  found.tag = status.MPI_TAG / scope.residues;
  found.of_program = found.tag <= scope.largest_tag;
  MPI_Count bytes = 0;
  mpi_call(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
  found.size_bytes = static_cast<std::size_t>(bytes);
  const auto residue = static_cast<std::uint64_t>(status.MPI_TAG % scope.residues);
  const auto via = space.channels.find({operation::kind::receive, found.peer, found.tag});
  const bool known = via != space.channels.end();
  const std::uint64_t place = known ? via->second->next_place(residue) : residue;
  found.place = place + 1;
  found.receive_submitted = known && place < via->second->places();
  return found;
}

[[nodiscard]] std::vector<message_survey::arrival> unmatched_arrivals(const survey_scope& scope) {
  std::vector<message_survey::arrival> list;
  for (const matching_space* space : scope.spaces) {
    for (int rank = 0; rank < space->size; ++rank) {
      int is_here = 0;
      MPI_Status status;
      mpi_call(MPI_Iprobe(rank, MPI_ANY_TAG, space->messages, &is_here, &status), "MPI_Iprobe");
      if (is_here != 0) list.push_back(identify(scope, *space, status));
    }
  }
  return list;
}

/// MPI takes messages from the network only inside its calls, and nobody makes any while nothing is
/// in flight; it may need some calls for one message.
void let_mpi_look_around(MPI_Comm comm) {
  constexpr int calls = 100;
  for (int i = 0; i < calls; ++i) {
    int is_here = 0;
    mpi_call(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_here, MPI_STATUS_IGNORE),
             "MPI_Iprobe");
    if (is_here != 0) return;
    sched_yield();
  }
}

}  // namespace

message_survey survey_messages(const survey_scope& scope) {
  message_survey survey;
  survey.taken = true;
  survey.messages = posted_messages(scope);
  for (const matching_space* space : scope.spaces) let_mpi_look_around(space->messages);
  survey.arrivals = unmatched_arrivals(scope);
  return survey;
}

}  // namespace plait
