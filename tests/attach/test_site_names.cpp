// SPDX-License-Identifier: BSD-3-Clause
// Names of functions, and which of them are wrappers.
#include <string>

#include <gtest/gtest.h>

#include "attach/after/analysis.hpp"

namespace plait::attach {
namespace {

TEST(site_names, have_neither_parameters_nor_the_result_of_a_template) {
  EXPECT_EQ(name_without_types("main"), "main");
  EXPECT_EQ(name_without_types("ns::part<int>::send(char const*, int) const"),
            "ns::part<int>::send");
  EXPECT_EQ(name_without_types("void ns::send<std::pair<int, long> >(std::pair<int, long>*)"),
            "ns::send<std::pair<int, long> >");
  EXPECT_EQ(name_without_types("(anonymous namespace)::step(int)"), "(anonymous namespace)::step");
  EXPECT_EQ(name_without_types("solve(int)::{lambda(int)#1}::operator()(int) const"),
            "solve(int)::{lambda(int)#1}::operator()");
}

[[nodiscard]] code_place place_at(const std::string& function, int line) {
  code_place place;
  place.function = function;
  place.file = "/made/ring.c";
  place.line = line;
  return place;
}
[[nodiscard]] site_result site_by(std::vector<code_place> way) {
  site_result site;
  static_cast<code_place&>(site) = way.front();
  site.callers.assign(way.begin() + 1, way.end());
  return site;
}

TEST(site_names, have_the_middle_of_the_way_where_only_that_tells_them_apart) {
  const code_place sum = place_at("sum", 9);
  std::vector<site_result> sites{
      site_by({sum, place_at("norms", 21), place_at("solve", 40)}),
      site_by({sum, place_at("norms", 22), place_at("solve", 40)}),
      site_by({sum, place_at("norms", 21), place_at("main", 60)}),
      site_by({sum}),
  };
  mark_similar_names(sites);
  EXPECT_EQ(place_text(sites[0]), "? at solve (ring.c:40) <- ring.c:21 <- sum (ring.c:9)");
  EXPECT_EQ(place_text(sites[1]), "? at solve (ring.c:40) <- ring.c:22 <- sum (ring.c:9)");
  EXPECT_EQ(place_text(sites[2]), "? at main (ring.c:60) <- sum (ring.c:9)");
  EXPECT_EQ(place_text(sites[3]), "? at sum (ring.c:9)");
}

}  // namespace
}  // namespace plait::attach
