// SPDX-License-Identifier: BSD-3-Clause
#include "pivot_search.hpp"

#include <algorithm>

#include "measure/base/mpi_check.hpp"

namespace hpl {
namespace {

using plait::measure::check_mpi;

// On the communicator nothing else has this tag.
constexpr int tag = 1;

}  // namespace

pivot_search::pivot_search(std::int64_t width, MPI_Comm column)
    : width_(static_cast<std::size_t>(width)), column_(column), message_(4 + 2 * width_) {
  if (column == MPI_COMM_NULL) return;
  theirs_.resize(message_.size());
  MPI_Comm_rank(column, &rank_);
  MPI_Comm_size(column, &ranks_);
}

void pivot_search::clear() {
  message_[0] = -1;
  message_[1] = 1e300;
  message_[3] = 0;
}

void pivot_search::set_candidate(double magnitude, std::int64_t row) {
  message_[0] = magnitude;
  message_[1] = static_cast<double>(row);
}

// Of equals the first row, as LAPACK takes it.
void pivot_search::take_better() {
  if (theirs_[0] > message_[0] || (theirs_[0] == message_[0] && theirs_[1] < message_[1])) {
    std::copy_n(theirs_.begin(), 2, message_.begin());
    std::copy_n(theirs_.begin() + 4, width_, message_.begin() + 4);
  }
  if (theirs_[3] == 0) return;
  message_[3] = 1;
  const auto current = static_cast<std::ptrdiff_t>(4 + width_);
  std::copy_n(theirs_.begin() + current, width_, message_.begin() + current);
}

void pivot_search::send(int peer) {
  check_mpi(
      MPI_Send(message_.data(), static_cast<int>(message_.size()), MPI_DOUBLE, peer, tag, column_),
      "MPI_Send");
}

void pivot_search::receive(std::vector<double>& into, int peer) {
  check_mpi(MPI_Recv(into.data(), static_cast<int>(into.size()), MPI_DOUBLE, peer, tag, column_,
                     MPI_STATUS_IGNORE),
            "MPI_Recv");
}

// In pairs at distances 1, 2, 4 …; processes beyond the last power of two hand theirs in first.
void pivot_search::run() {
  if (column_ == MPI_COMM_NULL) return;
  int paired = 1;
  while (2 * paired <= ranks_) paired *= 2;
  if (rank_ >= paired) {
    send(rank_ - paired);
    receive(message_, rank_ - paired);
    return;
  }
  const bool has_guest = rank_ + paired < ranks_;
  if (has_guest) {
    receive(theirs_, rank_ + paired);
    take_better();
  }
  for (int distance = 1; distance < paired; distance *= 2) {
    const int peer = rank_ ^ distance;
    const int count = static_cast<int>(message_.size());
    check_mpi(MPI_Sendrecv(message_.data(), count, MPI_DOUBLE, peer, tag, theirs_.data(), count,
                           MPI_DOUBLE, peer, tag, column_, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
    take_better();
  }
  if (has_guest) send(rank_ + paired);
}

}  // namespace hpl
