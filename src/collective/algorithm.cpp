// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include <plait/collective/algorithm.hpp>
#include <plait/core/error.hpp>

#include "collective/builders.hpp"
#include "core/enumeration_names.hpp"

namespace plait::collective {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, all_operations.size()> operation_texts{
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "reduce_scatter_block",
    "reduce_scatter",
    "scan",
    "exscan",
    "neighbour_allgather",
    "neighbour_allgatherv",
    "neighbour_alltoall",
    "neighbour_alltoallv"};
constexpr std::array<std::string_view, all_algorithms.size()> algorithm_texts{
    "linear", "dissemination",      "binomial", "chain",
    "ring",   "recursive_doubling", "pairwise", "bruck"};

struct entry {
  operation what;
  algorithm how;
  bool keeps_order;
  void (*write)(const operands& o, writer& w);
};

constexpr auto linear = algorithm::linear;
constexpr auto binomial = algorithm::binomial;
constexpr auto chain = algorithm::chain;
constexpr auto ring = algorithm::ring;
constexpr auto doubling = algorithm::recursive_doubling;
constexpr auto pairwise = algorithm::pairwise;
constexpr auto bruck = algorithm::bruck;

// A gatherv or scatterv by a tree is missing: only the root knows the sizes of all blocks.  So is
// an alltoallv by Bruck: ranks do not know the sizes of blocks that pass through them.
constexpr std::array entries{
    entry{operation::barrier, algorithm::dissemination, true, write_dissemination_barrier},
    entry{operation::barrier, doubling, true, write_doubling_barrier},
    entry{operation::bcast, linear, true, write_bcast},
    entry{operation::bcast, binomial, true, write_bcast},
    entry{operation::bcast, chain, true, write_bcast},
    entry{operation::reduce, linear, true, write_reduce},
    entry{operation::reduce, binomial, true, write_reduce},
    entry{operation::reduce, chain, true, write_reduce},
    entry{operation::allreduce, binomial, true, write_tree_allreduce},
    entry{operation::allreduce, chain, true, write_tree_allreduce},
    entry{operation::allreduce, ring, false, write_ring_allreduce},
    entry{operation::allreduce, doubling, true, write_doubling_allreduce},
    entry{operation::gather, linear, true, write_gather},
    entry{operation::gather, binomial, true, write_gather},
    entry{operation::gatherv, linear, true, write_gather},
    entry{operation::scatter, linear, true, write_scatter},
    entry{operation::scatter, binomial, true, write_scatter},
    entry{operation::scatterv, linear, true, write_scatter},
    entry{operation::allgather, linear, true, write_allgather},
    entry{operation::allgather, ring, true, write_ring_allgather},
    entry{operation::allgather, doubling, true, write_doubling_allgather},
    entry{operation::allgather, bruck, true, write_bruck_allgather},
    entry{operation::allgatherv, linear, true, write_allgather},
    entry{operation::allgatherv, ring, true, write_ring_allgather},
    entry{operation::allgatherv, doubling, true, write_doubling_allgather},
    entry{operation::allgatherv, bruck, true, write_bruck_allgather},
    entry{operation::alltoall, linear, true, write_alltoall},
    entry{operation::alltoall, pairwise, true, write_alltoall},
    entry{operation::alltoall, bruck, true, write_bruck_alltoall},
    entry{operation::alltoallv, linear, true, write_alltoall},
    entry{operation::alltoallv, pairwise, true, write_alltoall},
    entry{operation::reduce_scatter_block, ring, false, write_ring_reduce_scatter},
    entry{operation::reduce_scatter_block, pairwise, true, write_pairwise_reduce_scatter},
    entry{operation::reduce_scatter, ring, false, write_ring_reduce_scatter},
    entry{operation::reduce_scatter, pairwise, true, write_pairwise_reduce_scatter},
    entry{operation::scan, doubling, true, write_doubling_scan},
    entry{operation::scan, chain, true, write_chain_scan},
    entry{operation::exscan, doubling, true, write_doubling_exscan},
    entry{operation::exscan, chain, true, write_chain_exscan},
    entry{operation::neighbour_allgather, linear, true, write_neighbour_exchange},
    entry{operation::neighbour_allgatherv, linear, true, write_neighbour_exchange},
    entry{operation::neighbour_alltoall, linear, true, write_neighbour_exchange},
    entry{operation::neighbour_alltoallv, linear, true, write_neighbour_exchange}};

const entry& entry_of(operation what, algorithm how) {
  for (const entry& e : entries) {
    if (e.what == what && e.how == how) return e;
  }
  throw usage_error("there is no " + std::string(to_string(what)) + " by " +
                    std::string(to_string(how)) + "; it can be " + algorithm_names(what));
}

}  // namespace

std::string_view to_string(operation what) noexcept {
  return name_in(operation_texts, what);
}

std::string_view to_string(algorithm how) noexcept {
  return name_in(algorithm_texts, how);
}

std::optional<operation> operation_from(std::string_view name) noexcept {
  return value_in<operation>(operation_texts, name);
}

std::optional<algorithm> algorithm_from(std::string_view name) noexcept {
  return value_in<algorithm>(algorithm_texts, name);
}

std::vector<algorithm> algorithms_of(operation what) {
  std::vector<algorithm> found;
  for (const entry& e : entries) {
    if (e.what == what) found.push_back(e.how);
  }
  return found;
}

std::string algorithm_names(operation what) {
  std::vector<std::string_view> names;
  for (const algorithm how : algorithms_of(what)) names.push_back(to_string(how));
  return alternatives(names);
}

bool keeps_order(operation what, algorithm how) {
  return entry_of(what, how).keeps_order;
}

schedule build(const shape& call, algorithm how) {
  const entry& e = entry_of(call.what, how);
  const operands o = operands_of(call, how);
  writer w;
  e.write(o, w);
  schedule steps = std::move(w).finish(call.cut, call.element_bytes);
  const footprint whole = footprint_of(o);
  steps.send_bytes = whole.send_bytes;
  steps.receive_bytes = whole.receive_bytes;
  return steps;
}

}  // namespace plait::collective
