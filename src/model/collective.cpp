// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/model/collective.hpp>
#include <plait/model/message.hpp>

#include "core/enumeration_names.hpp"
#include "model/collective_terms.hpp"

namespace plait::model {
namespace {

using terms::call;
using terms::sum_of_rounds;

// Each function: total | processor time.  [slides]: Hoefler and Lumsdaine, CCGrid 2008; the others
// are derived in the same way, from the rounds of the algorithm.  G stands for G₂ in rounds in
// which ranks send and receive at once.

// k (2o + L) | 2ok  [slides]
collective_cost barrier_dissemination(const call& c) {
  return {c.rounds() * c.round(0), c.rounds() * c.both(0)};
}

// (P - 2) max(o, g + (m - 1)G) + T(m) | the root's P - 1 sends
collective_cost linear_from_root(const call& c) {
  const double m = c.size();
  return {(c.others() - 1) * c.send_interval(m) + c.message(m),
          std::max(c.others() * c.send(m), c.receive(m))};
}

// k (2o + L + mG) | at most 2ok: one message after the other towards or from the root  [slides]
collective_cost binomial_rounds(const call& c) {
  return {c.rounds() * c.round(c.size()), c.rounds() * c.both(c.size())};
}

// k (2o + L) + k (k + 1)/2 mG | at most 2ok.  A rank posts all of its sends at once, so that they
// share its link: those of the root arrive together, after k mG, those of the first of its children
// (k - 1) mG later.  [slides: kmG, where rounds wait for each other]
collective_cost bcast_binomial(const call& c) {
  const collective_cost rounds = binomial_rounds(c);
  const double k = c.rounds();
  return {
      rounds.total_s + k * (k - 1) / 2 * (c.round(c.size()) - c.round(0) - c.handshake(c.size())),
      rounds.processor_s};
}

// (P - 1) T(m/f) + (f - 1)(max(g, o) + (m/f - 1)G) | a rank within passes f fragments on
collective_cost bcast_chain(const call& c) {
  const double b = c.fragment();
  const double busiest = c.ranks() > 2 ? c.both(b) : std::max(c.send(b), c.receive(b));
  return {c.others() * c.message(b) + (c.fragments() - 1) * c.chain_interval(b),
          c.fragments() * busiest};
}

// linear_from_root mirrored, and the root combines P - 1 vectors: + (P - 1) mγ
collective_cost reduce_linear(const call& c) {
  const double m = c.size();
  const double combining = c.others() * c.combine(m);
  return {(c.others() - 1) * c.receive_interval(m) + c.message(m) + combining,
          std::max(c.others() * c.receive(m) + combining, c.send(m))};
}

// As many rounds, and in each round a vector is combined: k (2o + L + mG + mγ)
collective_cost reduce_binomial(const call& c) {
  const double combining = c.rounds() * c.combine(c.size());
  const collective_cost tree = binomial_rounds(c);
  return {tree.total_s + combining, tree.processor_s + combining};
}

// bcast_chain mirrored, and each rank combines a fragment before it passes it on:
// (P - 1)(T(b) + bγ) + (f - 1)(max(g, o) + (b - 1)G + bγ), b = m/f
collective_cost reduce_chain(const call& c) {
  const double b = c.fragment();
  const double passing =
      c.ranks() > 2 ? c.both(b) + c.combine(b) : std::max(c.send(b), c.receive(b) + c.combine(b));
  return {c.others() * (c.message(b) + c.combine(b)) +
              (c.fragments() - 1) * (c.chain_interval(b) + c.combine(b)),
          c.fragments() * passing};
}

// reduce_binomial and bcast_binomial | (4o + mγ) k  [slides: 2k (2o + L + mG) + kmγ]
collective_cost allreduce_binomial(const call& c) {
  const collective_cost up = reduce_binomial(c);
  const collective_cost down = bcast_binomial(c);
  return {up.total_s + down.total_s, up.processor_s + down.processor_s};
}

// 2 (P - 1)(2o + L + (m/P)G) + (P - 1)(m/P)γ: a reduce_scatter and an allgather of m/P
collective_cost allreduce_ring(const call& c) {
  const double part = c.size() / c.ranks();
  const double combining = c.others() * c.combine(part);
  return {2 * c.others() * c.exchange_round(part) + combining,
          2 * c.others() * c.both(part) + combining};
}

// ⌊log2 P⌋ (2o + L + mG + mγ).  With P not a power of two, the ranks above the last one first hand
// their vector to another rank (one round, combined there) and in the end get the result back; a
// rank that took one in is the busiest, with a receive and a send more.
collective_cost allreduce_recursive_doubling(const call& c) {
  const double m = c.size();
  const int folding = c.is_power_of_two() ? 0 : 1;
  const double combining = (c.whole_rounds() + folding) * c.combine(m);
  return {c.whole_rounds() * c.exchange_round(m) + 2 * folding * c.round(m) + combining,
          (c.whole_rounds() + folding) * c.both(m) + combining};
}

// (P - 1)(2o + L + mG) + mκ | 2 (P - 1) o + mκ: each rank copies its own block
collective_cost allgather_ring(const call& c) {
  const double own = c.copy(c.size());
  return {c.others() * c.exchange_round(c.size()) + own, c.others() * c.both(c.size()) + own};
}

// Σ_r (2o + L + 2^r mG) + mκ = k (2o + L) + (P - 1) mG + mκ.  With P not a power of two, x = P -
// 2^⌊log2 P⌋ ranks first hand their block to one of the others and in the end get all P; in between
// the fullest group of 2^r ranks has 2^r + min(x, 2^r) blocks to send.
collective_cost allgather_recursive_doubling(const call& c) {
  sum_of_rounds rounds(c);
  const double extra = c.ranks() - std::ldexp(1.0, c.whole_rounds());
  if (extra > 0) rounds.add(c.size());
  for (int r = 0; r < c.whole_rounds(); ++r) {
    const double group = std::ldexp(1.0, r);
    rounds.add_exchange((group + std::min(extra, group)) * c.size());
  }
  if (extra > 0) rounds.add(c.ranks() * c.size());
  rounds.add_copy(c.size());
  return rounds.result();
}

// Σ_r (2o + L + min(2^r, P - 2^r) mG) + mκ = k (2o + L) + (P - 1) mG + mκ
collective_cost allgather_bruck(const call& c) {
  sum_of_rounds rounds(c);
  for (int r = 0; r < c.rounds(); ++r) {
    const double blocks = std::ldexp(1.0, r);
    rounds.add_exchange(std::min(blocks, c.ranks() - blocks) * c.size());
  }
  rounds.add_copy(c.size());
  return rounds.result();
}

// The root of a binomial tree has messages of these sizes, one way.
collective_cost doubling_blocks(const call& c) {
  sum_of_rounds rounds(c);
  for (int r = 0; r < c.rounds(); ++r) {
    const double blocks = std::ldexp(1.0, r);
    rounds.add(std::min(blocks, c.ranks() - blocks) * c.size());
  }
  rounds.add_copy(c.size());
  return rounds.result();
}

// T(m) + (n - 1) max(o, g + (m - 1)G) | 2no: n messages each way at once.
// With n = P - 1 and mκ alltoall as in LibNBC, and allgather; with n = d the exchange between
// neighbours.
collective_cost all_at_once(const call& c, double messages) {
  const double m = c.size();
  return {c.exchange(m) + (messages - 1) * c.exchange_interval(m), messages * c.both(m)};
}

collective_cost linear_with_all(const call& c) {
  const collective_cost messages = all_at_once(c, c.others());
  const double own = c.copy(c.size());
  return {messages.total_s + own, messages.processor_s + own};
}

collective_cost neighbour_exchange_linear(const call& c) {
  return c.degree() == 0 ? collective_cost{} : all_at_once(c, c.degree());
}

// Σ_r (2o + L + n_r mG) + mκ, n_r being how many of 1 … P - 1 have bit r: block i travels by the
// powers of two in i.
collective_cost alltoall_bruck(const call& c) {
  sum_of_rounds rounds(c);
  for (int r = 0; r < c.rounds(); ++r) {
    const std::int64_t bit = std::int64_t{1} << r;
    const std::int64_t whole = c.ranks() / (2 * bit) * bit;
    const std::int64_t rest = std::max<std::int64_t>(0, c.ranks() % (2 * bit) - bit);
    rounds.add_exchange(static_cast<double>(whole + rest) * c.size());
  }
  rounds.add_copy(c.size());
  return rounds.result();
}

// (P - 2) max(o, g + (m - 1)G) + T(m) + mκ | the root's P - 1 receives, and its own block's copy
collective_cost gather_linear(const call& c) {
  const double m = c.size();
  return {(c.others() - 1) * c.receive_interval(m) + c.message(m) + c.copy(m),
          std::max(c.others() * c.receive(m) + c.copy(m), c.send(m))};
}

// linear_from_root, and the root's own block is copied: + mκ
collective_cost scatter_linear(const call& c) {
  const double m = c.size();
  return {linear_from_root(c).total_s + c.copy(m),
          std::max(c.others() * c.send(m) + c.copy(m), c.receive(m))};
}

// (P - 1)(2o + L + mG + mγ): in each round a block goes on and one is combined.  Ring and pairwise
// differ in whom they send to, which the model does not see.
collective_cost reduce_scatter_rounds(const call& c) {
  const double combining = c.others() * c.combine(c.size());
  return {c.others() * c.exchange_round(c.size()) + combining,
          c.others() * c.both(c.size()) + combining};
}

// (P - 1)(T(m) + mγ): each rank waits for the one before it | one receive, combination and send
collective_cost scan_linear(const call& c) {
  const double m = c.size();
  const double busiest =
      c.ranks() > 2 ? c.both(m) + c.combine(m) : std::max(c.send(m), c.receive(m) + c.combine(m));
  return {c.others() * (c.message(m) + c.combine(m)), busiest};
}

// scan_linear, but the last rank has nothing to combine: (P - 1) T(m) + (P - 2) mγ
collective_cost exscan_linear(const call& c) {
  const double m = c.size();
  const double busiest =
      c.ranks() > 2 ? c.both(m) + c.combine(m) : std::max(c.send(m), c.receive(m));
  return {c.others() * c.message(m) + (c.others() - 1) * c.combine(m), busiest};
}

// To rank + 2^r, from rank - 2^r in round r; of two ranks one only sends.
double scan_rounds(const call& c) {
  const double m = c.size();
  return c.rounds() * (c.ranks() > 2 ? c.exchange_round(m) : c.round(m));
}

// k (2o + L + mG + mγ)  [Hillis and Steele 1986]
collective_cost scan_recursive_doubling(const call& c) {
  const double combining = c.rounds() * c.combine(c.size());
  return {scan_rounds(c) + combining, c.rounds() * c.both(c.size()) + combining};
}

// k (2o + L + mG) + 2 (k - 1) mγ: as scan, but what is passed on and the result without the rank's
// own operand are two vectors; the first round makes only the one, the last only the other.
collective_cost exscan_recursive_doubling(const call& c) {
  const double combining = 2 * (c.rounds() - 1) * c.combine(c.size());
  return {scan_rounds(c) + combining, c.rounds() * c.both(c.size()) + combining};
}

struct formula {
  operation what;
  algorithm how;
  collective_cost (*cost)(const call& c);
};
constexpr formula formulas[] = {
    {operation::barrier, algorithm::dissemination, barrier_dissemination},
    {operation::bcast, algorithm::linear, linear_from_root},
    {operation::bcast, algorithm::binomial, bcast_binomial},
    {operation::bcast, algorithm::chain, bcast_chain},
    {operation::reduce, algorithm::linear, reduce_linear},
    {operation::reduce, algorithm::binomial, reduce_binomial},
    {operation::reduce, algorithm::chain, reduce_chain},
    {operation::allreduce, algorithm::binomial, allreduce_binomial},
    {operation::allreduce, algorithm::ring, allreduce_ring},
    {operation::allreduce, algorithm::recursive_doubling, allreduce_recursive_doubling},
    {operation::allgather, algorithm::linear, linear_with_all},
    {operation::allgather, algorithm::ring, allgather_ring},
    {operation::allgather, algorithm::recursive_doubling, allgather_recursive_doubling},
    {operation::allgather, algorithm::bruck, allgather_bruck},
    {operation::alltoall, algorithm::linear, linear_with_all},
    // The messages of linear in another order: nothing waits for a round to end.
    {operation::alltoall, algorithm::pairwise, linear_with_all},
    {operation::alltoall, algorithm::bruck, alltoall_bruck},
    {operation::gather, algorithm::linear, gather_linear},
    {operation::gather, algorithm::binomial, doubling_blocks},
    {operation::scatter, algorithm::linear, scatter_linear},
    {operation::scatter, algorithm::binomial, doubling_blocks},
    {operation::reduce_scatter, algorithm::ring, reduce_scatter_rounds},
    {operation::reduce_scatter, algorithm::pairwise, reduce_scatter_rounds},
    {operation::scan, algorithm::linear, scan_linear},
    {operation::scan, algorithm::recursive_doubling, scan_recursive_doubling},
    {operation::exscan, algorithm::linear, exscan_linear},
    {operation::exscan, algorithm::recursive_doubling, exscan_recursive_doubling},
    {operation::neighbour_exchange, algorithm::linear, neighbour_exchange_linear},
};

const formula& formula_of(operation what, algorithm how) {
  for (const formula& f : formulas) {
    if (f.what == what && f.how == how) return f;
  }
  throw usage_error(fmt::format("{} has no algorithm {}; it has {}", to_string(what),
                                to_string(how), algorithm_names(what)));
}

void validate(const call_shape& shape) {
  if (shape.ranks < 1)
    throw usage_error(fmt::format("{} ranks; there must be at least 1", shape.ranks));
  if (!std::isfinite(shape.size_bytes) || shape.size_bytes < 0)
    throw usage_error(
        fmt::format("size_bytes is {:g}; it must be finite and at least 0", shape.size_bytes));
  if (!(shape.fragment_bytes > 0))
    throw usage_error(
        fmt::format("fragment_bytes is {:g}; it must be above 0", shape.fragment_bytes));
  if (shape.degree < 0)
    throw usage_error(fmt::format("degree is {}; it must be at least 0", shape.degree));
}

// Bytes on the longest way that do not wait for the rate.  A tree up and a tree down end and begin
// on rested links, and so do the root of a tree and its first child.  In a chain the first fragment
// finds each link rested.
double passed_at_once(operation what, algorithm how, double burst_bytes, const call_shape& shape) {
  if (what == operation::allreduce && how == algorithm::binomial) return 2 * burst_bytes;
  if (what == operation::bcast && how == algorithm::binomial && shape.ranks > 2)
    return 2 * burst_bytes;
  if (how != algorithm::chain) return burst_bytes;
  const double first = std::min({burst_bytes, shape.fragment_bytes, shape.size_bytes});
  return burst_bytes + std::max(0, shape.ranks - 2) * first;
}

}  // namespace

std::vector<algorithm> algorithms_of(operation what) {
  std::vector<algorithm> found;
  for (const formula& f : formulas) {
    if (f.what == what) found.push_back(f.how);
  }
  return found;
}

std::string algorithm_names(operation what) {
  std::vector<std::string_view> names;
  for (const algorithm how : algorithms_of(what)) names.push_back(to_string(how));
  return alternatives(names);
}

collective_cost cost(operation what, algorithm how, const parameters& network,
                     const call_shape& shape) {
  validate(network);
  validate(shape);
  const formula& f = formula_of(what, how);
  if (shape.ranks == 1) return {};
  collective_cost result = f.cost(call(network, shape));
  // The formulas for totals count sends that follow each other; where o is what spaces them, the
  // receives in between take the processor too.
  result.total_s = std::max(result.total_s, result.processor_s);
  return result;
}

collective_cost cost_after_rest(operation what, algorithm how, const parameters& network,
                                const parameters& at_once, double burst_bytes,
                                const call_shape& shape) {
  if (!(burst_bytes >= 0))
    throw usage_error(fmt::format("burst_bytes is {:g}; it must be at least 0", burst_bytes));
  const collective_cost all_at_rate = cost(what, how, network, shape);
  const collective_cost all_at_once = cost(what, how, at_once, shape);
  const double saved_s = passed_at_once(what, how, burst_bytes, shape) *
                         std::max(0.0, network.gap_per_byte_s - at_once.gap_per_byte_s);
  return {std::max(all_at_once.total_s, all_at_rate.total_s - saved_s), all_at_once.processor_s};
}

choice cheapest(operation what, const parameters& network, const call_shape& shape) {
  std::optional<choice> best;
  for (const algorithm how : algorithms_of(what)) {
    const collective_cost candidate = cost(what, how, network, shape);
    if (!best || candidate.total_s < best->cost.total_s) best = choice{how, candidate};
  }
  return best.value();
}

std::optional<libnbc_algorithm> libnbc_choice(operation what, int ranks, double size_bytes) {
  PLAIT_EXPECTS(ranks >= 1 && size_bytes >= 0, fmt::format("{}, {:g}", ranks, size_bytes));
  constexpr double kibibyte = 1024;
  const bool small = size_bytes < 64 * kibibyte;
  switch (what) {
    case operation::barrier:
      return libnbc_algorithm{algorithm::dissemination};
    case operation::bcast:
      if (ranks <= 4) return libnbc_algorithm{algorithm::linear};
      if (small) return libnbc_algorithm{algorithm::binomial};
      return libnbc_algorithm{algorithm::chain,
                              size_bytes < 512 * kibibyte ? 8 * kibibyte : 32 * kibibyte};
    case operation::reduce:  // chains for few ranks: the other way round than bcast
      if (ranks > 4 || small) return libnbc_algorithm{algorithm::binomial};
      return libnbc_algorithm{algorithm::chain, 8 * kibibyte};
    case operation::allreduce:
      return libnbc_algorithm{ranks < 4 || small ? algorithm::binomial : algorithm::ring};
    case operation::reduce_scatter:
      return std::nullopt;
    case operation::allgather:
    case operation::alltoall:
    case operation::gather:
    case operation::scatter:
    case operation::scan:
    case operation::exscan:
    case operation::neighbour_exchange:
      return libnbc_algorithm{algorithm::linear};
  }
  return std::nullopt;
}

std::optional<collective_cost> libnbc_published(operation what, const parameters& network,
                                                const call_shape& shape) {
  validate(network);
  validate(shape);
  const double k = std::bit_width(static_cast<unsigned>(shape.ranks) - 1);
  const double both_s = network.send_overhead_s + network.receive_overhead_s;  // 2o
  const double sent_s = shape.size_bytes * network.gap_per_byte_s;             // mG
  const double combined_s = shape.size_bytes * network.reduction_per_byte_s;   // mγ
  switch (what) {
    case operation::barrier:
      return collective_cost{k * (both_s + network.latency_s), k * both_s};
    case operation::allreduce:
      return collective_cost{2 * k * (both_s + network.latency_s + sent_s) + k * combined_s,
                             k * (2 * both_s + combined_s)};
    case operation::bcast:
      return collective_cost{k * (both_s + network.latency_s + sent_s), k * both_s};
    default:
      return std::nullopt;
  }
}

}  // namespace plait::model
