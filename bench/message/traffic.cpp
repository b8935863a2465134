// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

namespace plait::bench::message {
namespace {

// A prime period, so that a message shifted by any power of two is noticed.
std::byte sent_byte(std::size_t index) {
  return static_cast<std::byte>(1 + index % 251);
}

}  // namespace

bytes initial_bytes(const environment& env, std::size_t count) {
  bytes result(count);
  if (env.rank() != 0) return result;
  for (std::size_t i = 0; i < count; ++i) result[i] = sent_byte(i);
  return result;
}

void expect_sent_bytes(const bytes& received) {
  for (std::size_t i = 0; i < received.size(); ++i) {
    if (received[i] != sent_byte(i))
      throw error("a message arrived wrong at byte " + std::to_string(i) + " of " +
                  std::to_string(received.size()));
  }
}

}  // namespace plait::bench::message
