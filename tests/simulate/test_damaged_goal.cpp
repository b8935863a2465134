// SPDX-License-Identifier: BSD-3-Clause
// Ten thousand damaged files: each is refused, or runs to an end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/loggops.hpp>

#include "random_program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace plait::test {
namespace {

using namespace simulate;

class damage {
 public:
  explicit damage(std::uint64_t seed) : random_(seed) {}

  /// Changes digits only: most files can be read then.
  void apply_gently(std::string& data) {
    for (std::size_t times = below(8) + 1; times > 0; --times) {
      const std::size_t at = data.find_first_of("0123456789", below(data.size()));
      if (at != std::string::npos) data[at] = static_cast<char>('0' + below(10));
    }
  }

  void apply(std::string& data) {
    for (std::size_t times = below(4) + 1; times > 0 && !data.empty(); --times) once(data);
  }

 private:
  [[nodiscard]] std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  void once(std::string& data) {
    const std::size_t at = below(data.size());
    const std::size_t length = std::min(data.size() - at, below(40) + 1);
    switch (below(6)) {
      case 0:
        data[at] = static_cast<char>(below(256));
        break;
      case 1:
        data.erase(at, length);
        break;
      case 2:
        data.insert(at, data.substr(below(data.size()), length));
        break;
      case 3:
        data.resize(at);
        break;
      case 4:
        data.insert(at, words[below(std::size(words))]);
        break;
      case 5:
        data[at] = static_cast<char>(data[at] ^ (1 << below(8)));
        break;
    }
  }

  static constexpr const char* words[] = {"requires ",
                                          "l1 ",
                                          "rank 1 {\n",
                                          "}\n",
                                          "num_ranks 9\n",
                                          "18446744073709551615",
                                          "-1",
                                          "/*",
                                          "cpu 255 ",
                                          "\xff\xff\xff\xff",
                                          "calc 9\n",
                                          "send 0b to 0\n"};
  std::mt19937_64 random_;
};

TEST(damaged_goal, is_refused_in_few_lines_or_runs_to_an_end) {
  int ran = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const program made = random_program(seed % 50, {.most_ranks = 4, .most_places = 30});
    std::string data = seed % 2 == 0 ? goal_text(made) : goal_binary(made);
    if (seed % 4 == 0) {
      damage(seed).apply_gently(data);
    } else {
      damage(seed).apply(data);
    }
    try {
      const program read = parse_goal(data, "damaged");
      const loggops_outcome outcome = run_loggops(read, {});
      ASSERT_EQ(outcome.finish_ns.size(), read.ranks());
      ++ran;
    } catch (const usage_error& refused) {
      const std::string said = refused.what();
      ASSERT_TRUE(said.starts_with("damaged:")) << said;
      ASSERT_LE(std::ranges::count(said, '\n'), 20);
      for (const char c : said) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << seed;
    }
  }
  EXPECT_GT(ran, 500) << "too many were refused: the damage is too rough";
}

/// What libFuzzer calls.
TEST(damaged_goal, ends_in_both_dialects) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const program made = random_program(seed % 50, {.most_ranks = 4, .most_places = 30});
    std::string data = seed % 2 == 0 ? goal_text(made) : goal_binary(made);
    damage(seed).apply_gently(data);
    EXPECT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(data.data()), data.size()), 0);
  }
}

}  // namespace
}  // namespace plait::test
