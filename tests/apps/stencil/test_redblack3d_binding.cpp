// SPDX-License-Identifier: BSD-3-Clause
// Where IRR's two sets of threads go.
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "redblack3d/binding.hpp"
#include "redblack3d/team.hpp"

namespace {

using namespace redblack3d;

const std::vector<plait::memory_domain> two_domains{{.number = 0, .units = {0, 2, 4}},
                                                    {.number = 1, .units = {1, 3, 5, 7}}};

[[nodiscard]] binding bound(const char* text, const std::vector<plait::memory_domain>& domains,
                            bool shared = false) {
  return bind_sets(parse_policy(text), domains, shared);
}

TEST(binding, each_set_has_a_domain_and_each_thread_a_core) {
  const binding found = bound("MT(7)+OLAP+XTRA+IRR(44:50)", two_domains);
  EXPECT_EQ(found.unit_of_thread, (std::vector<int>{1, 3, 5, 7, 0, 2, 4}));
  EXPECT_EQ(found.domain_of_thread, (std::vector<int>{1, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(found.said, "4 threads on domain 1, 3 on domain 0");
}

TEST(binding, is_off_where_it_would_be_of_no_use_and_says_why) {
  EXPECT_EQ(bound("MT(4)+!OLAP", two_domains).said, "off: no sets of threads");
  EXPECT_EQ(bound("MT(4)+IRR(1:2)", {two_domains[0]}).said, "off: one memory domain");
  EXPECT_EQ(bound("MT(4)+IRR(1:2)", two_domains, true).said,
            "off: other processes may use the same cores");
  EXPECT_EQ(bound("MT(8)+IRR(1:2)", two_domains).said,
            "off: a set has 4 threads, and its memory domain 3 cores");
  EXPECT_FALSE(bound("MT(8)+IRR(1:2)", two_domains).is_on());
}

TEST(binding, holds_for_the_threads_of_a_team_and_ends_with_it) {
  const std::vector<int> before = plait::discover_topology().usable;
  const std::vector<int> units{before.front(), before.back(), before.front()};
  {
    team threads(3, units);
    std::vector<std::vector<int>> seen(3);
    threads.run([&](int thread) {
      seen[static_cast<std::size_t>(thread)] = plait::discover_topology().usable;
    });
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], std::vector<int>{units[i]});
  }
  EXPECT_EQ(plait::discover_topology().usable, before);
}

}  // namespace
