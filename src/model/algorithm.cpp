// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>
#include <span>

#include <plait/model/algorithm.hpp>

#include "model/alternatives.hpp"

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

template <typename Enumeration>
std::string_view name_of(Enumeration value, std::span<const std::string_view> names) noexcept {
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names[place] : "unknown";
}

template <typename Enumeration>
std::optional<Enumeration> value_of(std::string_view name,
                                    std::span<const std::string_view> names) noexcept {
  for (std::size_t place = 0; place < names.size(); ++place) {
    if (names[place] == name) return static_cast<Enumeration>(place);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(operation what) noexcept {
  return name_of(what, operations);
}

std::string_view to_string(algorithm how) noexcept {
  return name_of(how, algorithms);
}

std::optional<operation> operation_from(std::string_view name) noexcept {
  return value_of<operation>(name, operations);
}

std::optional<algorithm> algorithm_from(std::string_view name) noexcept {
  return value_of<algorithm>(name, algorithms);
}

std::string operation_names() {
  return alternatives(operations);
}

}  // namespace plait::model
