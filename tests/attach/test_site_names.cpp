// SPDX-License-Identifier: BSD-3-Clause
// Names of functions, and which of them are wrappers.
#include <string>

#include <gtest/gtest.h>

#include "attach/analysis.hpp"

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

}  // namespace
}  // namespace plait::attach
