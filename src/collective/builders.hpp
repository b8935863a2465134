// SPDX-License-Identifier: BSD-3-Clause
/// Builders of schedules, one function for each way of moving data.  The table in algorithm.cpp
/// says which operations and algorithms each of them serves.
#pragma once

#include "collective/operands.hpp"
#include "collective/writer.hpp"

namespace plait::collective {

// tree_builders.cpp: linear, binomial, chain
void write_bcast(const operands& o, writer& w);
void write_reduce(const operands& o, writer& w);
void write_tree_allreduce(const operands& o, writer& w);
void write_gather(const operands& o, writer& w);
void write_scatter(const operands& o, writer& w);

// ring_builders.cpp
void write_ring_allgather(const operands& o, writer& w);
void write_ring_allreduce(const operands& o, writer& w);
void write_ring_reduce_scatter(const operands& o, writer& w);

// exchange_builders.cpp: linear, pairwise
void write_allgather(const operands& o, writer& w);
void write_alltoall(const operands& o, writer& w);
void write_neighbour_exchange(const operands& o, writer& w);
void write_pairwise_reduce_scatter(const operands& o, writer& w);

// bruck_builders.cpp
void write_bruck_allgather(const operands& o, writer& w);
void write_bruck_alltoall(const operands& o, writer& w);

// doubling_builders.cpp: recursive doubling
void write_doubling_allreduce(const operands& o, writer& w);
void write_doubling_allgather(const operands& o, writer& w);

// barrier_builders.cpp: dissemination, recursive doubling
void write_dissemination_barrier(const operands& o, writer& w);
void write_doubling_barrier(const operands& o, writer& w);

// prefix_builders.cpp: recursive doubling, chain
void write_doubling_scan(const operands& o, writer& w);
void write_doubling_exscan(const operands& o, writer& w);
void write_chain_scan(const operands& o, writer& w);
void write_chain_exscan(const operands& o, writer& w);

}  // namespace plait::collective
