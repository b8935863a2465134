// SPDX-License-Identifier: BSD-3-Clause
/// Programs of a few operations, and a network, for tests of the dialect `plait`.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <plait/model/parameters.hpp>
#include <plait/simulate/program.hpp>

namespace plait::test {

using simulate::operation;
using simulate::operation_kind;
using simulate::template_builder;

inline constexpr std::int64_t us = 1'000'000;  // in ps
inline constexpr std::int64_t ms = 1000 * us;

[[nodiscard]] inline operation sends(std::uint64_t bytes, std::uint32_t to, std::uint32_t tag = 0) {
  operation made;
  made.kind = operation_kind::send;
  made.size = bytes;
  made.peer = to;
  made.tag = tag;
  return made;
}
[[nodiscard]] inline operation receives(std::uint64_t bytes, std::uint32_t from,
                                        std::uint32_t tag = 0) {
  operation made = sends(bytes, from, tag);
  made.kind = operation_kind::receive;
  return made;
}
[[nodiscard]] inline operation computes(std::uint64_t ns) {
  operation made;
  made.size = ns;
  return made;
}

[[nodiscard]] inline simulate::program program_of_ranks(std::vector<template_builder> ranks) {
  simulate::program made;
  for (template_builder& one : ranks) {
    made.template_of.push_back(static_cast<std::uint32_t>(made.templates.size()));
    made.templates.push_back(one.build());
  }
  return made;
}

inline const model::parameters network{.latency_s = 20e-6,
                                       .send_overhead_s = 2e-6,
                                       .receive_overhead_s = 3e-6,
                                       .gap_s = 4e-6,
                                       .gap_per_byte_s = 8e-9,
                                       .eager_limit_bytes = 65536};

}  // namespace plait::test
