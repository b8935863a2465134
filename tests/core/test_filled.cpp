// SPDX-License-Identifier: BSD-3-Clause
// Text with values in it: numbers as they are read again, the same in every locale.
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/filled.hpp"

namespace plait {
namespace {

TEST(filled_text, has_a_value_for_each_place_and_keeps_other_braces) {
  const std::string name = "rim";
  EXPECT_EQ(filled("{} of {}: '{}', {}", 3, 4U, name, true), "3 of 4: 'rim', true");
  EXPECT_EQ(filled(R"({"a":{},"b":{{}}})", -1, "\"c\":2"), R"({"a":-1,"b":{"c":2}})");
  EXPECT_EQ(filled("{}", "{} in a value is text"), "{} in a value is text");
  EXPECT_EQ(filled("nothing"), "nothing");
}

TEST(filled_text, has_the_largest_numbers) {
  EXPECT_EQ(filled("{} {}", std::numeric_limits<std::int64_t>::min(),
                   std::numeric_limits<std::uint64_t>::max()),
            "-9223372036854775808 18446744073709551615");
}

TEST(filled_text, has_decimals_and_hexadecimal_digits) {
  EXPECT_EQ(fixed(2.345, 2), "2.35");
  EXPECT_EQ(fixed(-0.04, 1), "-0.0");
  EXPECT_EQ(fixed(1e22, 0), "10000000000000000000000");
  EXPECT_EQ(fixed(std::numeric_limits<double>::max(), 3).size(), 309U + 4U);
  EXPECT_EQ(hex(0), "0");
  EXPECT_EQ(hex(0x1f, 4), "001f");
  EXPECT_EQ(hex(0xcbf29ce484222325, 4), "cbf29ce484222325");
}

TEST(filled_text, has_numbers_in_the_shortest_form_that_is_read_as_them) {
  const std::pair<double, const char*> numbers[] = {{0, "0"},
                                                    {-0.0, "-0"},
                                                    {1, "1"},
                                                    {100000, "100000"},
                                                    {0.1, "0.1"},
                                                    {0.0001, "0.0001"},
                                                    {0.00012, "0.00012"},
                                                    {9.9e-5, "9.9e-05"},
                                                    {1e15, "1000000000000000"},
                                                    {1e16, "1e+16"},
                                                    {1.5e-300, "1.5e-300"},
                                                    {123456.789, "123456.789"}};
  for (const auto& [number, text] : numbers) {
    EXPECT_EQ(shortest(number), text);
    EXPECT_EQ(std::stod(shortest(number)), number);
  }
}

}  // namespace
}  // namespace plait
