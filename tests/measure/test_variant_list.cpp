// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "measure/compare/stepwise.hpp"
#include "measure/compare/variant_list.hpp"

namespace {

using plait::measure::setting;
using plait::measure::stopwatch;

struct problem {
  std::string made_by;
};

using variants = plait::measure::variant_list<problem>;

variants::entry named(std::string_view name, setting solves) {
  return {name, [name, solves] {
            return plait::measure::stepwise<problem>(
                [name](problem& p, stopwatch&) { p.made_by = name; }, solves);
          }};
}

TEST(variant_list, makes_the_variant_of_a_name) {
  const variants all{named("plait", setting::distributed), named("ideal", setting::isolated)};
  EXPECT_EQ(all.names(), (std::vector<std::string_view>{"plait", "ideal"}));
  problem p;
  const auto made = all("ideal");
  EXPECT_EQ(made->solves(), setting::isolated);
  made->prepare(p);
  made->run(p, 1, {});
  EXPECT_EQ(p.made_by, "ideal");
  EXPECT_EQ(all("plait")->solves(), setting::distributed);
}

}  // namespace
