// SPDX-License-Identifier: BSD-3-Clause
// Checked mode against a model: random tasks touch random bytes.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

#include "checked.hpp"

namespace plait::test {
namespace {

template <std::size_t Bytes>
void touch_bytes(std::byte* at, bool write) {
  struct chunk {
    std::array<std::byte, Bytes> bytes;
  };
  static thread_local chunk buffer;
  if (write) {
    std::memcpy(at, &buffer, Bytes);
    asm volatile("" ::: "memory");
  } else {
    std::memcpy(&buffer, at, Bytes);
    asm volatile("" ::"r"(&buffer) : "memory");
  }
}

/// The bytes of others that a random task touches are found, all of them and no others.
TEST(random_accesses, are_told_as_a_model_says) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return random() % n; };
  constexpr void (*touches[])(std::byte*, bool) = {
      &touch_bytes<1>,  &touch_bytes<2>,   &touch_bytes<4>,  &touch_bytes<7>,
      &touch_bytes<8>,  &touch_bytes<16>,  &touch_bytes<24>, &touch_bytes<32>,
      &touch_bytes<64>, &touch_bytes<100>, &touch_bytes<500>};
  constexpr std::size_t widths[] = {1, 2, 4, 7, 8, 16, 24, 32, 64, 100, 500};
  const pages memory(5);
  scheduler s{{.checked = true}};
  int lies = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const std::size_t first = below(3000);  // registered: [first, end)
    const std::size_t end = memory.bytes - below(3000);
    std::vector<char> mine(memory.bytes, 0);
    s.task(
        "owner", [](auto) {}, out(memory.as<std::byte>(first, end - first)));
    struct planned {
      std::size_t width;
      std::size_t at;
      bool write;
    };
    std::vector<planned> plan;
    for (std::size_t n = below(30); n > 0; --n) {
      const std::size_t width = below(std::size(widths));
      plan.push_back({width, below(memory.bytes - widths[width]), below(2) == 0});
    }
    {
      auto liar = s.task("liar", [&] {
        for (const planned& p : plan) touches[p.width](memory.data + p.at, p.write);
      });
      for (std::size_t n = below(6); n > 0; --n) {
        const std::size_t begin = first + below(end - first);
        const std::size_t count = below(below(2) == 0 ? 50 : 6000);
        const std::size_t last = std::min(begin + count, end);
        liar.also(inout(memory.as<std::byte>(begin, last - begin)));
        std::fill(mine.begin() + static_cast<long>(begin), mine.begin() + static_cast<long>(last),
                  1);
      }
    }
    std::vector<char> touched[2] = {std::vector<char>(memory.bytes, 0),
                                    std::vector<char>(memory.bytes, 0)};
    for (const planned& p : plan) {
      for (std::size_t i = p.at; i < p.at + widths[p.width]; ++i) {
        if (i >= first && i < end && mine[i] == 0) touched[p.write ? 1 : 0][i] = 1;
      }
    }
    const auto text = [&](const std::vector<char>& map) {
      const auto begin = std::find(map.begin(), map.end(), 1);
      const auto last = std::find(map.rbegin(), map.rend(), 1).base();
      const auto count = std::count(map.begin(), map.end(), 1);
      const std::string from = std::to_string(begin - map.begin() - static_cast<long>(first));
      if (last - begin == 1) return "byte " + from;
      return (count == last - begin ? "bytes " : "some of bytes ") + from + " to " +
             std::to_string(last - map.begin() - static_cast<long>(first) - 1);
    };
    const bool reads = std::count(touched[0].begin(), touched[0].end(), 1) > 0;
    const bool writes = std::count(touched[1].begin(), touched[1].end(), 1) > 0;
    std::string expected = "nothing";
    if (reads || writes) {
      expected = "task 'liar'";
      if (reads) expected += " reads " + text(touched[0]);
      if (reads && writes) expected += " and";
      if (writes) expected += " writes " + text(touched[1]);
      expected += " of what task 'owner' names as its access 1 (out), without an access to it";
      ++lies;
    }
    std::string said = "nothing";
    try {
      s.wait();
    } catch (const plait::access_error& e) {
      said = e.what();
    }
    ASSERT_EQ(said, expected) << "trial " << trial;
  }
  EXPECT_GT(lies, 50);
}

}  // namespace
}  // namespace plait::test
