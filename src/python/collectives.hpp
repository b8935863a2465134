// SPDX-License-Identifier: BSD-3-Clause
/// Collective operations on arrays.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "python/runtime.hpp"

namespace plait_python {

/// Submits an operation by its name, such as "allreduce".  `from` none: in place; `combination`:
/// "sum" and the like, of those that combine.  Errors: ValueError for another name, and for
/// elements that plait combines not.
void submit_collective(runtime& rt, words_of_call words, const std::string& what, nb::handle from,
                       nb::handle to, const std::string& combination, int root);

/// Submits "gatherv" and others: parts of different sizes, in elements, lie one after the other.
void submit_blocks(runtime& rt, words_of_call words, const std::string& what, nb::handle from,
                   nb::handle to, const std::vector<std::size_t>& sent,
                   const std::vector<std::size_t>& received, int root);

/// Submits an exchange with neighbours, "alltoall": a part for each destination, or "allgather":
/// one for all, and a part of each source.  Of "alltoallv" and "allgatherv" parts differ in size.
void submit_neighbours(runtime& rt, words_of_call words, const std::string& what, nb::handle from,
                       nb::handle to, const std::vector<std::size_t>& sent,
                       const std::vector<std::size_t>& received, const std::vector<int>& sources,
                       const std::vector<int>& destinations);

}  // namespace plait_python
