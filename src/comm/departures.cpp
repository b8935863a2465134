// SPDX-License-Identifier: BSD-3-Clause
#include "comm/departures.hpp"

#include <algorithm>
#include <cstdio>

#include <plait/core/error.hpp>

#include "comm/engine/in_flight.hpp"
#include "comm/leave_together.hpp"

namespace plait {
namespace {

constexpr int departure_tag = 3;
constexpr double look_every_s = 0.25;
constexpr int looks_to_be_sure = 8;

[[nodiscard]] bool needs(const operation& op, int world_rank) {
  const matching_space* const among = op.via != nullptr ? op.via->among() : nullptr;
  if (op.what != operation::kind::collective) return engine::matching_of(op).peer == world_rank;
  for (int r = 0; r < among->size; ++r) {
    if (among->world_rank(r) == world_rank) return true;
  }
  return false;
}

/// Returns an operation that cannot complete without this rank, or null.
[[nodiscard]] const operation* one_that_needs(int world_rank, const in_flight& waiting) {
  const operation* found = nullptr;
  const auto look_at = [&](const operation& op) {
    if (found == nullptr && needs(op, world_rank)) found = &op;
  };
  for (const operation* op : waiting.transfers().operations()) look_at(*op);
  for (const served_window* window : waiting.windows()) window->service->for_each(look_at);
  return found;
}

[[nodiscard]] std::string label_of(const operation& op) {
  if (op.remote == nullptr) return describe(op);
  return std::string(word_of(op)) + " '" + op.name + "'";
}

}  // namespace

/// Nobody waits until the messages are taken: they are a few bytes, and MPI keeps them.
void departures::tell(MPI_Comm all, int rank, int size, stage at) noexcept {
  for (int r = 0; r < size; ++r) {
    if (r == rank) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&told_[at], 1, MPI_INT, r, departure_tag, all, &request) == MPI_SUCCESS)
      MPI_Request_free(&request);
  }
}

bool departures::receive(MPI_Comm all) {
  for (;;) {
    int found = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, departure_tag, all, &found, &status) != MPI_SUCCESS) break;
    if (found == 0) break;
    receive_from(status.MPI_SOURCE, all);
  }
  return !gone_.empty();
}

void departures::receive_from(int rank, MPI_Comm all) {
  int at = leaves;
  MPI_Recv(&at, 1, MPI_INT, rank, departure_tag, all, MPI_STATUS_IGNORE);
  const auto known = std::ranges::find(gone_, rank, &departed::rank);
  if (known == gone_.end()) {
    gone_.push_back({rank, static_cast<stage>(at)});
  } else {
    known->at = static_cast<stage>(at);
  }
}

void departures::take_rest_of(int rank, MPI_Comm all) {
  for (int left = takes_part_in_nothing; left > 0; --left) {
    const auto known = std::ranges::find(gone_, rank, &departed::rank);
    if (known != gone_.end() && known->at == takes_part_in_nothing) return;
    receive_from(rank, all);
  }
}

void departures::end_together(MPI_Comm leaving, MPI_Comm all, const environment& env, bool has_told,
                              int ranks_a_core) {
  const int mine = has_told ? 1 : 0;
  int anyone = 0;
  const auto begin = [&](MPI_Request* request) {
    return MPI_Iallreduce(&mine, &anyone, 1, MPI_INT, MPI_MAX, leaving, request);
  };
  meet(begin, MPI_Test, ranks_a_core, [has_told] {
    if (!has_told) return;
    std::fprintf(stderr,
                 "plait: %s: gave up its communication after a failure, has left "
                 "plait::environment, and waits for the other ranks to do so\n",
                 process_label().c_str());
  });
  if (anyone == 0) return;
  std::vector<int> each(static_cast<std::size_t>(env.size()));
  if (MPI_Allgather(&mine, 1, MPI_INT, each.data(), 1, MPI_INT, leaving) != MPI_SUCCESS) return;
  for (int r = 0; r < env.size(); ++r)
    if (r != env.rank() && each[static_cast<std::size_t>(r)] != 0) take_rest_of(r, all);
}

/// At the last of several looks: what was on its way when the rank left has come by then.
void departures::look(const environment& env, MPI_Comm all, ticks now, const in_flight& waiting) {
  next_ = now + seconds_to_ticks(look_every_s);
  // With nothing in flight the program may be in MPI.
  if (waiting.nothing_to_look_after() ? gone_.empty() : !receive(all)) return;
  for (departed& one : gone_) {
    const operation* const op = one_that_needs(one.rank, waiting);
    one.looks = op != nullptr ? one.looks + 1 : 0;
    if (one.looks == looks_to_be_sure) end_job(env, one, label_of(*op));
  }
}

void departures::look_together(const environment& env, MPI_Comm all, ticks now) {
  next_together_ = now + seconds_to_ticks(look_every_s);
  if (!receive(all)) return;
  for (departed& one : gone_) {
    if (one.at != takes_part_in_nothing) continue;
    if (++one.looks_together == looks_to_be_sure) end_job(env, one, "what all ranks do together");
  }
}

void departures::end_job(const environment& env, const departed& gone, const std::string& what) {
  env.abort(what + " cannot complete: rank " + std::to_string(gone.rank) +
            " gave up its communication after a failure, and has left plait::environment");
}

}  // namespace plait
