// SPDX-License-Identifier: BSD-3-Clause
#include "comm/one_sided/by_rma.hpp"

#include <exception>
#include <utility>

#include "comm/byte_count.hpp"
#include "comm/mpi_call.hpp"

namespace plait {
namespace {

[[nodiscard]] std::size_t ranks_of(MPI_Comm comm) {
  int size = 0;
  mpi_call(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return static_cast<std::size_t>(size);
}

}  // namespace

by_rma::by_rma(MPI_Comm comm, std::unique_ptr<rma_window> window, std::span<std::byte> own,
               int flags, bool needs_target)
    : messages_(comm, own, flags),
      window_(std::move(window)),
      needs_target_(needs_target),
      ways_(ranks_of(comm)) {
  mpi_call(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  messages_.when_one_leaves([this](int rank) { one_leaves(rank); });
}

// --- this rank's operations ---------------------------------------------------------------------

/// Makes writes of this rank's tasks visible to whoever is told that it may read, then starts `op`.
void by_rma::start(operation& op, finished_list& done) {
  if (op.remote->signals) mpi_call(MPI_Win_sync(window_->get()), "MPI_Win_sync");
  const bool has_data = op.what == operation::kind::get || op.what == operation::kind::put;
  if (!has_data || op.size_bytes == 0 || op.peer == rank_) {
    messages_.start(op, done);
  } else if (way_out& way = way_to(op.peer); way.waiting.empty() && way.has_room()) {
    begin(op, done);
  } else {
    way.waiting.push_back(&op);
    ++waiting_;
  }
}

/// Noted last: what throws leaves nothing behind that would complete it again.
void by_rma::begin(operation& op, finished_list& done) {
  const bool get = op.what == operation::kind::get;
  const MPI_Aint place = window_->place(op.peer, op.remote->offset_bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  with_count(op.size_bytes, [&](int count, MPI_Datatype type) {
    if (get) {
      mpi_call(
          MPI_Rget(op.buffer, count, type, op.peer, place, count, type, window_->get(), &request),
          "MPI_Rget");
    } else {
      mpi_call(
          MPI_Rput(op.buffer, count, type, op.peer, place, count, type, window_->get(), &request),
          "MPI_Rput");
    }
  });
  int is_over = 0;  // as it is where a copy in shared memory is all of it
  mpi_call(MPI_Test(&request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
  way_out& way = way_to(op.peer);
  ++way.open;
  purpose what{.target = op.peer, .get = get ? &op : nullptr};
  if (!get) {
    ++way.leaving;
    what.put = {
        &op, op.remote->landing, {op.remote->signals ? op.tag : by_messages::no_flag, op.sequence}};
    if (what.put.landing != nullptr) what.put.landing->landed = false;
  }
  if (is_over != 0) {
    request_over(what, done);
  } else {
    requests_.add(request, std::move(what));
  }
}

void by_rma::begin_what_waits(finished_list& done) {
  if (waiting_ == 0) return;
  for (way_out& way : ways_) {
    while (!way.waiting.empty() && way.has_room()) {
      operation* const next = way.waiting.front();
      way.waiting.pop_front();
      --waiting_;
      try {
        begin(*next, done);
      } catch (...) {
        done.push_back({next, std::current_exception()});
      }
    }
  }
}

void by_rma::complete(operation* op, finished_list& done) {
  if (op != nullptr) done.push_back({op, nullptr});
}

/// Data is here, or has left.
void by_rma::request_over(purpose& what, finished_list& done) {
  way_out& way = way_to(what.target);
  if (what.get != nullptr) {
    --way.open;
    complete(what.get, done);
    return;
  }
  --way.leaving;
  open_put& put = what.put;
  if (put.landing != nullptr) complete(std::exchange(put.op, nullptr), done);
  if (given_up_) give_up(put, done);
  if (way.left.empty()) way.left_since = now_ticks();
  way.left.push_back(std::move(put));
  ++have_left_;
}

// --- that puts are there ------------------------------------------------------------------------

bool by_rma::may_flush(int target, way_out& way) {
  if (way.leaving > 0 && now_ticks() - way.left_since < seconds_to_ticks(longest_wait_s)) {
    return false;
  }
  if (!needs_target_) return true;
  if (way.knock == nullptr) {
    way.knock = std::make_shared<put_landing>();
    messages_.tell(target, {}, nullptr, way.knock);
    return false;
  }
  if (!way.knock->landed) return false;
  way.knock = nullptr;
  return true;
}

bool by_rma::flush_what_left(finished_list& done) {
  if (have_left_ == 0) return false;
  bool flushed = false;
  for (int target = 0; target < static_cast<int>(ways_.size()); ++target) {
    way_out& way = way_to(target);
    if (way.left.empty()) continue;
    if (!way.gone) {  // else it was flushed when it left
      if (!may_flush(target, way)) continue;
      mpi_call(MPI_Win_flush(target, window_->get()), "MPI_Win_flush");
    }
    flushed = true;
    while (!way.left.empty()) {
      is_there(target, way.left.back(), done);
      way.left.pop_back();
      --have_left_;
      --way.open;
    }
  }
  return flushed;
}

void by_rma::is_there(int target, const open_put& put, finished_list& done) {
  if (put.signal.flag != by_messages::no_flag) {
    messages_.tell(target, put.signal, put.op, put.landing);
  } else if (put.landing != nullptr) {
    put.landing->landed = true;
    complete(std::exchange(put.landing->waiting, nullptr), done);
  } else {
    complete(put.op, done);
  }
}

/// Looks for completed operations.  Moved messages may hold a signal, whose data tasks are about to
/// read.
bool by_rma::look(finished_list& done) {
  bool moved = messages_.look(done);
  if (moved) mpi_call(MPI_Win_sync(window_->get()), "MPI_Win_sync");
  std::vector<purpose> over = requests_.test();
  for (purpose& what : over) request_over(what, done);
  moved = flush_what_left(done) || !over.empty() || moved;
  begin_what_waits(done);
  if (leaving_) say_farewell();
  return moved;
}

// --- the end of a rank on which a task failed ---------------------------------------------------

/// That rank waits for the answer, so it looks.
void by_rma::one_leaves(int rank) {
  way_out& way = way_to(rank);
  if (std::exchange(way.gone, true) || way.open == 0) return;
  mpi_call(MPI_Win_flush(rank, window_->get()), "MPI_Win_flush");
}

void by_rma::say_farewell() {
  if (!nothing_under_way()) return;
  for (int rank = 0; rank < static_cast<int>(ways_.size()); ++rank) {
    way_out& way = way_to(rank);
    if (rank == rank_ || way.gone || way.farewell != nullptr) continue;
    way.farewell = std::make_shared<put_landing>();
    messages_.tell(rank, {.flag = by_messages::leaving_flag}, nullptr, way.farewell);
  }
}

bool by_rma::is_quiet() const {
  if (!nothing_under_way() || !messages_.is_quiet()) return false;
  if (!leaving_) return true;
  for (std::size_t rank = 0; rank < ways_.size(); ++rank) {
    const way_out& way = ways_[rank];
    const bool knows = way.gone || (way.farewell != nullptr && way.farewell->landed);
    if (static_cast<int>(rank) != rank_ && !knows) return false;
  }
  return true;
}

void by_rma::give_up(open_put& put, finished_list& done) {
  complete(std::exchange(put.op, nullptr), done);
  if (put.landing != nullptr) complete(std::exchange(put.landing->waiting, nullptr), done);
  put.signal.flag = by_messages::no_flag;
}

void by_rma::give_up(finished_list& done) {
  given_up_ = true;
  messages_.give_up(done);
  for (way_out& way : ways_) {
    for (operation* op : std::exchange(way.waiting, {})) complete(op, done);
    for (open_put& put : way.left) give_up(put, done);
  }
  waiting_ = 0;
}

/// The standard lets nobody free requests of these operations, so MPI keeps them.
void by_rma::abandon(finished_list& done) {
  give_up(done);
  messages_.abandon(done);
  for (purpose& what : requests_.purposes()) {
    complete(what.get, done);
    give_up(what.put, done);
  }
  requests_.forget();
  for (way_out& way : ways_) way.left.clear();
  have_left_ = 0;
}

// --- when nothing moves -------------------------------------------------------------------------

void by_rma::for_each(const std::function<void(const operation&)>& visit) const {
  const auto visit_put = [&](const open_put& put) {
    if (put.op != nullptr) visit(*put.op);
    if (put.landing != nullptr && put.landing->waiting != nullptr) visit(*put.landing->waiting);
  };
  messages_.for_each(visit);
  for (const purpose& what : requests_.purposes()) {
    if (what.get != nullptr) visit(*what.get);
    visit_put(what.put);
  }
  for (const way_out& way : ways_) {
    for (const open_put& put : way.left) visit_put(put);
    for (const operation* op : way.waiting) visit(*op);
  }
}

}  // namespace plait
