// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>

#include <plait/model/algorithm.hpp>

#include "core/enumeration_names.hpp"

namespace plait::model {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 12> operations{
    "barrier", "bcast",   "reduce",         "allreduce", "allgather", "alltoall",
    "gather",  "scatter", "reduce_scatter", "scan",      "exscan",    "neighbour_exchange"};
constexpr std::array<std::string_view, 8> algorithms{
    "dissemination",      "linear",   "binomial", "chain", "ring",
    "recursive_doubling", "pairwise", "bruck"};
static_assert(operations.size() == static_cast<std::size_t>(operation::neighbour_exchange) + 1);
static_assert(algorithms.size() == static_cast<std::size_t>(algorithm::bruck) + 1);

}  // namespace

std::string_view to_string(operation what) noexcept {
  return name_in(operations, what);
}

std::string_view to_string(algorithm how) noexcept {
  return name_in(algorithms, how);
}

std::optional<operation> operation_from(std::string_view name) noexcept {
  return value_in<operation>(operations, name);
}

std::optional<algorithm> algorithm_from(std::string_view name) noexcept {
  return value_in<algorithm>(algorithms, name);
}

std::string operation_names() {
  return alternatives(operations);
}

}  // namespace plait::model
