// SPDX-License-Identifier: BSD-3-Clause
#include "load.hpp"

#include <cstring>
#include <string>

namespace plait::bench::exchange {
namespace {

std::uint64_t counter_of(const std::vector<std::byte>& message) {
  std::uint64_t counter = 0;
  std::memcpy(&counter, message.data(), sizeof counter);
  return counter;
}

}  // namespace

buffers::buffers(const load& what)
    : outgoing(what.size_bytes),
      incoming(what.size_bytes),
      pieces(static_cast<std::size_t>(what.pieces), measure::initial_values()) {}

void combine(const std::vector<std::byte>& incoming, std::vector<std::byte>& outgoing, long& gate) {
  const std::uint64_t counter = counter_of(incoming) + 1;
  std::memcpy(outgoing.data(), &counter, sizeof counter);
  ++gate;
}

void expect_steps(const buffers& data, std::uint64_t steps) {
  const std::uint64_t found = counter_of(data.outgoing);
  if (found != steps)
    throw error("messages were lost or mixed up: " + std::to_string(steps) +
                " steps were made, the messages count " + std::to_string(found));
}

}  // namespace plait::bench::exchange
