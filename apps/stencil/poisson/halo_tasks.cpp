// SPDX-License-Identifier: BSD-3-Clause
#include "halo_tasks.hpp"

#include <algorithm>
#include <numeric>

#include "rank_sum.hpp"

namespace poisson {

using plait::in;
using plait::inout;
using plait::out;

// A message of half a megabyte: a rank that is late answers no more than that after the bytes it
// sends itself.  [plait over olap, 512x512x32, 1 Gbit/s, three jobs each: whole faces 1.03 to 1.10,
// parts of 64 Ki cells 0.97 to 1.06, of 7.5 Ki cells 0.98 to 1.03; MPICH 1.06, 1.32; 0.98, 0.98;
// 0.96, 1.09]
constexpr std::int64_t cells_per_message = std::int64_t{1} << 16;

halo_tasks::halo_tasks(const problem& p, array& of, exchange_kind how) : cells_(p.block(of)) {
  if (how == exchange_kind::mover) {
    // Behind the physical boundary every rank has zeros, which may travel.
    ghosts_ = plait::ghosts_of(of, {.cells_per_message = cells_per_message, .gaps_travel = true});
  } else {
    around_.emplace(p.whole(), p.rank());
  }
}

void halo_tasks::submit(plait::runtime& rt) {
  if (ghosts_) {
    rt.move(*ghosts_);
  } else {
    submit_collective(rt);
  }
}

void halo_tasks::submit_collective(plait::runtime& rt) {
  plait::neighbourhood ranks;
  std::vector<plait::collective::block> sent;
  std::vector<plait::collective::block> received;
  const auto pack = [](const_values from, std::span<double> to) {
    for_each_row(from.cells(), [&, next = to.data()](const auto& first) mutable {
      next = std::copy_n(from.at(first), from.cells().extent(plait::axis::x), next);
    });
  };
  for (const neighbours::edge& e : around_->sent) {
    rt.task("pack", pack, in(cells_[e.cells]), out(neighbours::part_of(around_->outgoing, e)))
        .priority(plait::high);
    ranks.destinations.push_back(e.peer);
    sent.push_back(e.where);
  }
  for (const neighbours::edge& e : around_->received) {
    ranks.sources.push_back(e.peer);
    received.push_back(e.where);
  }
  rt.neighbour_alltoallv("ghosts", in(around_->outgoing), sent, out(around_->incoming), received,
                         ranks);
  const auto unpack = [](std::span<const double> from, values to) {
    plait::stencil::unpack(to, to.cells(), from);
  };
  for (const neighbours::edge& e : around_->received)
    rt.task("unpack", unpack, in(neighbours::part_of(around_->incoming, e)), out(cells_[e.cells]))
        .priority(plait::high);
}

void sum_tasks::submit(plait::runtime& rt, const std::vector<double>& parts, coefficients& c,
                       void (coefficients::*use)(double)) {
  rt.task(
      "add up",
      [](const std::vector<double>& addends, std::vector<double>& places, int rank) {
        place_own(places, rank, std::accumulate(addends.begin(), addends.end(), 0.0));
      },
      in(parts), out(places_), rank_);
  rt.allreduce(name_, inout(places_));
  rt.task(
      "use sum",
      [](const std::vector<double>& places, coefficients& to, void (coefficients::*then)(double)) {
        (to.*then)(in_rank_order(places));
      },
      in(places_), inout(c), use);
}

}  // namespace poisson
