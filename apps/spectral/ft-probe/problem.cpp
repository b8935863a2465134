// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace ft_probe {
namespace {

struct extents {
  index own = 0, arriving = 0;  ///< elements
};

extents largest(std::span<const row_blocks> shapes, int rank) {
  extents most;
  for (const row_blocks& one : shapes) {
    most.own = std::max(most.own, one.rows_of(rank) * one.length());
    most.arriving = std::max(most.arriving, one.rows_to(rank) * one.length());
  }
  return most;
}

double amplitude(int rank, index row) {
  return 1 + static_cast<double>((row + 7 * index{rank}) % 16) / 16;
}

index wavenumber(int rank, index row, index transformed) {
  return (3 * row + 5 * index{rank} + 1) % transformed;
}

/// Returns the value of an element that is not transformed.
complex untouched(int rank, index row, index length, index x) {
  return {static_cast<double>(row * length + x), static_cast<double>(rank)};
}

double error_bound(index transformed) {
  const auto n = static_cast<double>(std::max<index>(transformed, 2));
  constexpr double largest_amplitude = 2;
  return 10 * std::numeric_limits<double>::epsilon() * std::log2(n) * n * largest_amplitude;
}

}  // namespace

problem::problem(std::span<const row_blocks> shapes, int rank, spectral::planning planning)
    : row_memory(rank), planning_(planning) {
  const extents most = largest(shapes, rank);
  input_ = spectral::field(most.own);
  outgoing_ = spectral::field(most.own);
  incoming_ = spectral::field(most.arriving);
}

double problem::memory_bytes(std::span<const row_blocks> shapes, int rank) {
  const extents most = largest(shapes, rank);
  return sizeof(complex) * static_cast<double>(2 * most.own + most.arriving);
}

const spectral::line_plan& problem::plan_of(index n) {
  const auto found = plans_.find(n);
  if (found != plans_.end()) return found->second;
  const spectral::line_layout row{1, n};
  return plans_
      .emplace(n, spectral::line_plan(n, 1, row, row, false, spectral::sign::forward, planning_))
      .first->second;
}

void problem::reset(const row_blocks& shape, const workload& work) {
  take(shape);
  lie_in(outgoing_.data(),
         {incoming_.data(), static_cast<std::size_t>(shape.rows_to(rank()) * shape.length())});
  work_ = work;
  for (const index n : {work.part, work.times > 0 ? work.length : index{0}})
    if (n > 0) (void)plan_of(n);
  fill_input();
  const auto own = static_cast<std::size_t>(shape.rows_of(rank()) * shape.length());
  std::copy_n(input_.data(), own, outgoing_.data());
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  std::ranges::fill(memory_of_incoming(), complex(nothing, nothing));
}

void problem::fill_input() {
  const index length = shape().length();
  const index rows = shape().rows_of(rank());
  const index part = work_.transformed();
  if (rows == filled_rows_ && length == filled_length_ && part == filled_part_) return;
  std::vector<complex> roots(static_cast<std::size_t>(part));
  for (index x = 0; x < part; ++x)
    roots[static_cast<std::size_t>(x)] =
        std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(x) / static_cast<double>(part));
  for (index row = 0; row < rows; ++row) {
    complex* to = input_.data() + row * length;
    const double high = amplitude(rank(), row);
    index turn = 0;
    for (index x = 0; x < part; ++x) {
      to[x] = high * roots[static_cast<std::size_t>(turn)];
      turn += wavenumber(rank(), row, part);
      if (turn >= part) turn -= part;
    }
    for (index x = part; x < length; ++x) to[x] = untouched(rank(), row, length, x);
  }
  filled_rows_ = rows;
  filled_length_ = length;
  filled_part_ = part;
}

void problem::transform(const range& rows) {
  const index length = shape().length();
  const spectral::line_plan* part = work_.part > 0 ? &plan_of(work_.part) : nullptr;
  const spectral::line_plan* whole = work_.times > 0 ? &plan_of(length) : nullptr;
  for (index row = rows.low; row < rows.high; ++row) {
    const complex* from = input_.data() + row * length;
    complex* to = outgoing_.data() + row * length;
    if (part != nullptr) part->execute(from, to);
    for (index time = 0; time < work_.times; ++time) whole->execute(from, to);
  }
}

void problem::copy_own(const range& rows) {
  std::ranges::copy(outgoing(rows), incoming(rank(), rows).begin());
}

finding problem::check(bool travelled) const {
  finding result{.bound = error_bound(work_.transformed())};
  if (!travelled) {
    for (index row = 0; row < shape().rows_of(rank()); ++row)
      check_row(outgoing({row, row + 1}).data(), rank(), row, result);
    return result;
  }
  for (int from = 0; from < shape().ranks(); ++from) {
    const range rows = shape().sent(from, rank());
    for (index row = rows.low; row < rows.high; ++row)
      check_row(incoming(from, {row, row + 1}).data(), from, row, result);
  }
  return result;
}

void problem::check_row(const complex* row, int from, index number, finding& to) const {
  const index part = work_.transformed();
  const index spike = part > 0 ? wavenumber(from, number, part) : 0;
  for (index x = 0; x < shape().length(); ++x) {
    complex expected;
    if (x >= part)
      expected = untouched(from, number, shape().length(), x);
    else if (x == spike)
      expected = amplitude(from, number) * static_cast<double>(part);
    const complex off = row[x] - expected;
    const double error = std::abs(off.real()) + std::abs(off.imag());
    const double allowed = x < part ? to.bound : 0;
    if (error > to.max_error) to.max_error = error;
    if (error <= allowed || !to.complaint.empty()) continue;
    to.complaint = fmt::format(
        "rank {}: element {} of row {} from rank {} is {} + {}i, not {} + {}i", rank(), x, number,
        from, row[x].real(), row[x].imag(), expected.real(), expected.imag());
  }
}

}  // namespace ft_probe
