// SPDX-License-Identifier: BSD-3-Clause
// The lines of the text's algorithms, with its errors of print mended:
// - `p = myid + 1` (6 and 7, lines 2 and 7) is the rank after the last one on the last rank; it
//   lacks `mod THREADS`.  `p = myid - 1` (8, line 2) is -1 on rank 0.
// - `for i = 1; i < eta` (7 and 8, line 4) makes eta 0 and 1 the same, and fetches eta - 1 blocks
//   ahead.  Here eta are, as the text says; section 8's "eta = 0" alternates gets and computation.
#include "algorithms.hpp"

#include <algorithm>

#include "common/kernel.hpp"

namespace spmv_probe {
namespace {

using plait::in;
using plait::inout;
using plait::out;
using const_values = std::span<const double>;

/// `y` begins at the first of `rows`.
void product(const sparse_matrix* block, row_range rows, const_values x, std::span<double> y) {
  plait::sparse::add_product(*block, rows, x.data(), y.data() - rows.first);
}

}  // namespace

prober::prober(plait::runtime& rt, const even_shares& shares, vectors& v,
               const plait::window_options& windows)
    : rt_(rt),
      shares_(shares),
      rank_(rt.env().rank()),
      v_(v),
      own_(rt.allocate_window<double>(static_cast<std::size_t>(shares.count(rank_)), windows)),
      fetched_(rt.allocate_window<double>(static_cast<std::size_t>(shares.size), windows)) {
  v.own = own_.local();
  v.x = fetched_.local();
}

int prober::rank_at(int distance) const noexcept {
  return (rank_ + distance + shares_.ranks) % shares_.ranks;
}

std::span<double> prober::part_of(int rank) noexcept {
  return v_.x.subspan(static_cast<std::size_t>(shares_.first(rank)),
                      static_cast<std::size_t>(shares_.count(rank)));
}

void prober::get(int from) {
  rt_.get("source vector", own_, from, 0, out(part_of(from)));
}

void prober::put(int to) {
  rt_.put_signal("source vector", fetched_, to, static_cast<std::size_t>(shares_.first(rank_)),
                 in(v_.own));
}

/// The flag leaves when the data is there.  That is ordered by memory that only these two name.
void prober::put_and_flag(int to) {
  const std::size_t own = v_.own.size();
  const auto copy = std::span(outgoing_).subspan(static_cast<std::size_t>(to) * own, own);
  rt_.put("source vector", fetched_, to, static_cast<std::size_t>(shares_.first(rank_)), in(copy));
  rt_.signal("flag", fetched_, to, inout(copy));
}

void prober::barrier() {
  rt_.barrier("barrier", inout(order_));
  rt_.wait();
}

/// The block at distance t, and whose it is: the diagonal one first.
void prober::multiply(const split_rows& a, const course& how, int t, watch& time) {
  if (!how.computes) return;
  const int owner = rank_at(t);
  const sparse_matrix* const block = &a.blocks[static_cast<std::size_t>(owner)];
  const std::span<double> x = t == 0 ? v_.own : part_of(owner);
  for (const row_range& rows : a.pieces)
    rt_.task("block", product, block, rows, in(x),
             inout(std::span(v_.y).subspan(static_cast<std::size_t>(rows.first),
                                           static_cast<std::size_t>(rows.size()))));
  rt_.wait_on(v_.y);
  time.lap(t == 0 ? part::local : part::remote);
}

void prober::bulk(const split_rows& a, const course& how, watch& time) {
  if (how.communicates) {
    for (int i = 1; i < shares_.ranks; ++i) get(rank_at(i));
    time.lap(part::prefetch_init);
    for (int i = 1; i < shares_.ranks; ++i) rt_.wait_on(part_of(rank_at(i)));
    time.lap(part::comm_sync);
  }
  for (int t = 0; t < shares_.ranks; ++t) multiply(a, how, t, time);
}

void prober::gather(const split_rows& a, const course& how, watch& time) {
  int count = 0;
  const auto next = [&] { get(rank_at(++count)); };
  if (how.communicates)
    while (count < how.eta) next();
  time.lap(part::prefetch_init);
  for (int t = 0; t < shares_.ranks; ++t) {
    if (how.communicates && count < shares_.ranks - 1) {
      next();
      time.lap(part::pipeline_init);
    }
    if (how.communicates && t > 0) {
      rt_.wait_on(part_of(rank_at(t)));
      time.lap(part::comm_sync);
    }
    multiply(a, how, t, time);
  }
}

void prober::scatter(const split_rows& a, const course& how, watch& time) {
  int count = 0;
  const auto next = [&] {
    const int to = rank_at(-(++count));
    how.what == algorithm::flagged ? put_and_flag(to) : put(to);
  };
  if (how.communicates)
    while (count < how.eta) next();
  time.lap(part::prefetch_init);
  for (int t = 0; t < shares_.ranks; ++t) {
    if (how.communicates && count < shares_.ranks - 1) {
      next();
      time.lap(part::pipeline_init);
    }
    if (how.communicates && t > 0) {
      const int source = rank_at(t);
      rt_.await_signal("signal", fetched_, source, out(part_of(source)));
      rt_.wait_on(part_of(source));
      time.lap(part::comm_sync);
    }
    multiply(a, how, t, time);
  }
}

plait::measure::part_watch prober::run(const split_rows& a, const course& how) {
  watch time(part_names.size());
  if (how.what == algorithm::flagged && outgoing_.empty())
    for (int rank = 0; rank < shares_.ranks; ++rank)
      outgoing_.insert(outgoing_.end(), v_.own.begin(), v_.own.end());
  barrier();
  time.start();
  switch (how.what) {
    case algorithm::bulk:
      bulk(a, how, time);
      break;
    case algorithm::gather:
      gather(a, how, time);
      break;
    case algorithm::scatter:
    case algorithm::flagged:
      scatter(a, how, time);
      break;
  }
  barrier();
  time.lap(part::at_barrier);
  return time;
}

double prober::flood_s(int partner, std::span<double> to, int count) {
  barrier();
  const plait::ticks begin = plait::now_ticks();
  if (partner >= 0) {
    const auto block = static_cast<std::size_t>(shares_.count(partner));
    for (int i = 0; i < count; ++i)
      rt_.get("flood", own_, partner, 0,
              out(to.subspan(block * static_cast<std::size_t>(i), block)));
  }
  barrier();
  return plait::ticks_to_seconds(plait::now_ticks() - begin);
}

double prober::round_trip_s(int partner, int times) {
  barrier();
  double element = 0;
  const plait::ticks begin = plait::now_ticks();
  for (int i = 0; partner >= 0 && i < times; ++i) {
    rt_.get("round trip", own_, partner, 0, out(element));
    rt_.wait_on(element);
  }
  const double own_s = plait::ticks_to_seconds(plait::now_ticks() - begin) / times;
  barrier();
  return own_s;
}

}  // namespace spmv_probe
