// SPDX-License-Identifier: BSD-3-Clause
#include "panel_broadcast.hpp"

#include <algorithm>
#include <utility>

#include "measure/base/mpi_check.hpp"

namespace hpl {
namespace {

using plait::measure::check_mpi;

/// The lists of one process, with ranks counted from the root.
class lists {
 public:
  lists(int ranks, int rank, int root, std::int64_t count)
      : ranks_(ranks), me_((rank - root + ranks) % ranks), root_(root), count_(count) {}

  /// From `from`, the root or a process that has the panel, through first, first + 1, … last - 1.
  void chain(int from, int first, int last) {
    if (first >= last) return;
    whole(from, first);
    for (int at = first; at + 1 < last; ++at) whole(at, at + 1);
  }
  void whole(int from, int to) { message(from, to, 0, count_); }

  /// The root and the processes first to last - 1: a piece to each, then the pieces go round.
  void spread_and_roll(int first, int last) {
    const int members = last - first + 1;
    if (members < 2) return;
    const auto rank_of = [&](int member) { return member == 0 ? 0 : first + member - 1; };
    const auto begin = [&](int piece) { return count_ * piece / members; };
    const auto piece_to = [&](int from, int to, int piece) {
      message(rank_of(from), rank_of(to), begin(piece), begin(piece + 1) - begin(piece));
    };
    for (int member = 1; member < members; ++member) piece_to(0, member, member);
    for (int turn = 0; turn + 1 < members; ++turn)
      for (int member = 0; member + 1 < members; ++member)  // to the root nothing goes
        piece_to(member, member + 1, (member - turn + members) % members);
  }

  [[nodiscard]] std::vector<transfer> take() { return std::move(list_); }

 private:
  void message(int from, int to, std::int64_t first, std::int64_t count) {
    const auto rank = [&](int relative) { return (relative + root_) % ranks_; };
    if (me_ == to) list_.push_back({false, rank(from), first, count});
    if (me_ == from) list_.push_back({true, rank(to), first, count});
  }

  int ranks_;
  int me_;
  int root_;
  std::int64_t count_;
  std::vector<transfer> list_;
};

}  // namespace

std::vector<transfer> transfers_of(broadcast how, int ranks, int rank, int root,
                                   std::int64_t count) {
  lists all(ranks, rank, root, count);
  const int half = (ranks + 1) / 2;
  switch (how) {
    case broadcast::ring:
      all.chain(0, 1, ranks);
      break;
    case broadcast::ring_modified:
      all.chain(0, 1, std::min(2, ranks));
      all.chain(0, 2, ranks);
      break;
    case broadcast::rings:
      all.chain(0, 1, half);
      all.chain(0, half < 1 ? 1 : half, ranks);
      break;
    case broadcast::rings_modified: {
      const int middle = 2 + (ranks - 1) / 2;
      all.chain(0, 1, std::min(2, ranks));
      all.chain(0, 2, std::min(middle, ranks));
      all.chain(0, middle, ranks);
      break;
    }
    case broadcast::spread:
      all.spread_and_roll(1, ranks);
      break;
    case broadcast::spread_modified:
      all.chain(0, 1, std::min(2, ranks));
      all.spread_and_roll(2, ranks);
      break;
  }
  return all.take();
}

void panel_on_its_way::start(std::vector<transfer> what, std::span<double> memory, MPI_Comm row) {
  what_ = std::move(what);
  memory_ = memory;
  row_ = row;
  next_ = 0;
  receives_.assign(what_.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < what_.size(); ++i)
    if (!what_[i].sends)
      check_mpi(MPI_Irecv(&memory_[static_cast<std::size_t>(what_[i].first)],
                          static_cast<int>(what_[i].count), MPI_DOUBLE, what_[i].peer, 0, row_,
                          &receives_[i]),
                "MPI_Irecv");
  advance();
}

void panel_on_its_way::advance() {
  for (; next_ < what_.size(); ++next_) {
    const transfer& one = what_[next_];
    if (!one.sends) {
      if (receives_[next_] != MPI_REQUEST_NULL) return;
      continue;
    }
    check_mpi(MPI_Isend(memory_.data() + one.first, static_cast<int>(one.count), MPI_DOUBLE,
                        one.peer, 0, row_, &sends_.emplace_back()),
              "MPI_Isend");
  }
}

bool panel_on_its_way::test() {
  int done = 0;
  while (next_ < what_.size()) {
    check_mpi(MPI_Test(&receives_[next_], &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) return false;
    advance();
  }
  check_mpi(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
  if (done != 0) sends_.clear();
  return done != 0;
}

void panel_on_its_way::wait() {
  while (next_ < what_.size()) {
    check_mpi(MPI_Wait(&receives_[next_], MPI_STATUS_IGNORE), "MPI_Wait");
    advance();
  }
  check_mpi(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  sends_.clear();
}

}  // namespace hpl
