// SPDX-License-Identifier: BSD-3-Clause
#include "plain_mpi.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include <plait/plait.hpp>

#include "measure/base/mpi_check.hpp"

namespace summa {
namespace {

using plait::measure::check_mpi;

int number(std::int64_t value) {
  PLAIT_EXPECTS(value <= std::numeric_limits<int>::max(), std::to_string(value));
  return static_cast<int>(value);
}

}  // namespace

plain_step::plain_step(problem& p) : p_(p) {
  const step widest{.width = p.widest()};
  if (p.broadcasts_x()) x_.resize(static_cast<std::size_t>(p.x_size(widest)));
  if (p.broadcasts_y()) y_.resize(static_cast<std::size_t>(p.y_size(widest)));
  sums_.resize(static_cast<std::size_t>(p.sums_size(widest)));
  totals_.resize(sums_.size());
}

double* plain_step::x_of(const step& s) {
  // MPI takes what a root sends as memory that it might write.
  return sends_x(s) ? const_cast<double*>(p_.own_x(s).data()) : x_.data();
}

void plain_step::broadcast(const step& s) {
  if (p_.broadcasts_x())
    check_mpi(MPI_Bcast(x_of(s), number(p_.x_size(s)), MPI_DOUBLE, s.row_root, p_.grid.mpi_row()),
              "MPI_Bcast");
  if (!p_.broadcasts_y()) return;
  if (s.column_root == p_.grid.p()) p_.pack_y(s, p_.right_part(), y_);
  check_mpi(
      MPI_Bcast(y_.data(), number(p_.y_size(s)), MPI_DOUBLE, s.column_root, p_.grid.mpi_column()),
      "MPI_Bcast");
}

void plain_step::start_broadcast(const step& s) {
  if (p_.broadcasts_x())
    check_mpi(MPI_Ibcast(x_of(s), number(p_.x_size(s)), MPI_DOUBLE, s.row_root, p_.grid.mpi_row(),
                         &requests_.emplace_back()),
              "MPI_Ibcast");
  if (!p_.broadcasts_y()) return;
  if (s.column_root == p_.grid.p()) p_.pack_y(s, p_.right_part(), y_);
  check_mpi(MPI_Ibcast(y_.data(), number(p_.y_size(s)), MPI_DOUBLE, s.column_root,
                       p_.grid.mpi_column(), &requests_.emplace_back()),
            "MPI_Ibcast");
}

bool plain_step::test() {
  if (requests_.empty()) return true;
  int done = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  if (done != 0) requests_.clear();
  return done != 0;
}

void plain_step::wait() {
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  requests_.clear();
}

void plain_step::reduce(const step& s) {
  if (s.owner < 0) return;
  const bool a = p_.where.stationary == form::stationary_a;
  // Not in place: MPICH 4.0 then crashes between processes of a host, after a few calls.
  check_mpi(MPI_Reduce(sums_.data(), totals_.data(), number(p_.sums_size(s)), MPI_DOUBLE, MPI_SUM,
                       s.owner, a ? p_.grid.mpi_row() : p_.grid.mpi_column()),
            "MPI_Reduce");
}

void plain_step::start_reduce(const step& s) {
  const bool a = p_.where.stationary == form::stationary_a;
  check_mpi(
      MPI_Ireduce(sums_.data(), totals_.data(), number(p_.sums_size(s)), MPI_DOUBLE, MPI_SUM,
                  s.owner, a ? p_.grid.mpi_row() : p_.grid.mpi_column(), &requests_.emplace_back()),
      "MPI_Ireduce");
}

step_panels plain_step::panels(const step& s) const {
  return {p_.broadcasts_x() && sends_x(s) ? p_.own_x(s) : std::span<const double>(x_), y_};
}

std::span<double> plain_step::sums(const step& s) {
  return std::span(sums_).first(static_cast<std::size_t>(p_.sums_size(s)));
}

std::span<const double> plain_step::totals(const step& s) const {
  return std::span(totals_).first(static_cast<std::size_t>(p_.sums_size(s)));
}

void plain_step::fill() {
  for (std::size_t i = 0; i < x_.size(); ++i)
    x_[i] = p_.stand_in(false, static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < y_.size(); ++i)
    y_[i] = p_.stand_in(true, static_cast<std::int64_t>(i));
}

plain_transposition::plain_transposition(problem& p) : p_(p) {
  if (p.of_a) add(*p.of_a, p.a, p.left);
  if (p.of_b) add(*p.of_b, p.b, p.right);
}

void plain_transposition::add(const transposition& how, std::span<const double> from,
                              std::span<double> to) {
  one& added = all_.emplace_back(one{.how = &how, .from = from, .to = to});
  std::int64_t out = 0, in = 0;
  for (int rank = 0; rank < p_.grid.env().size(); ++rank) {
    added.out_places.push_back(number(out));
    added.in_places.push_back(number(in));
    added.out_counts.push_back(number(how.entries_to(rank)));
    added.in_counts.push_back(number(how.entries_from(rank)));
    out += how.entries_to(rank);
    in += how.entries_from(rank);
  }
  added.out.resize(static_cast<std::size_t>(out));
  added.in.resize(static_cast<std::size_t>(in));
}

void plain_transposition::exchange() {
  for (one& each : all_)
    check_mpi(MPI_Alltoallv(each.out.data(), each.out_counts.data(), each.out_places.data(),
                            MPI_DOUBLE, each.in.data(), each.in_counts.data(),
                            each.in_places.data(), MPI_DOUBLE, plait::native(p_.grid.env())),
              "MPI_Alltoallv");
}

void plain_transposition::run() {
  const auto part = [](std::vector<double>& of, int at, int count) {
    return std::span(of).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
  };
  const int ranks = p_.grid.env().size();
  for (one& each : all_)
    for (int rank = 0; rank < ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      each.how->pack(rank, each.from, part(each.out, each.out_places[r], each.out_counts[r]));
    }
  exchange();
  for (one& each : all_)
    for (int rank = 0; rank < ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      each.how->unpack(rank, part(each.in, each.in_places[r], each.in_counts[r]), each.to);
    }
}

void exchange_all(problem& p, plain_step& buffers, plain_transposition& operands) {
  operands.exchange();
  for (const step& s : p.steps) {
    buffers.broadcast(s);
    buffers.reduce(s);
  }
}

void exchange_all_sparsely(problem& p, plain_step& buffers, plain_transposition& operands,
                           std::chrono::microseconds interval) {
  operands.exchange();
  for (const step& s : p.steps) {
    buffers.start_broadcast(s);
    if (s.owner >= 0) buffers.start_reduce(s);
    while (!buffers.test()) std::this_thread::sleep_for(interval);
  }
}

}  // namespace summa
