// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "measure/base/command_line.hpp"
#include "support/refusal.hpp"

namespace {

using plait::test::refusal;

constexpr std::array<std::string_view, 3> known{"red", "green", "blue"};

TEST(command_line, extents_are_three_numbers) {
  using extents = std::array<std::int64_t, 3>;
  EXPECT_EQ(plait::measure::parse_extents("--size", "5x60x7", 1), (extents{5, 60, 7}));
  EXPECT_EQ(plait::measure::parse_extents("--grid", "0x0x2", 0), (extents{0, 0, 2}));
  for (const char* text : {"", "5", "5x6", "5x6x7x8", "5x6x", "ax6x7", "5x6x7 ", "5x6x1e3",
                           "99999999999999999999x1x1"})
    EXPECT_EQ(
        refusal([&] { (void)plait::measure::parse_extents("--size", text, 1); }),
        "--size is '" + std::string(text) + "'; it must be three numbers, such as 512x512x64");
  EXPECT_EQ(refusal([] { (void)plait::measure::parse_extents("--size", "5x0x7", 1); }),
            "--size is '5x0x7'; every number must be at least 1");
}

TEST(command_line, names_come_from_a_list_and_keep_their_order) {
  EXPECT_EQ(plait::measure::parse_names("--colours", "blue,red", known),
            (std::vector<std::string>{"blue", "red"}));
  EXPECT_EQ(refusal([] { (void)plait::measure::parse_names("--colours", "red,pink", known); }),
            "--colours knows no 'pink'; it can be red, green, blue");
  EXPECT_EQ(refusal([] { (void)plait::measure::parse_names("--colours", "red,red", known); }),
            "--colours names 'red' twice");
  EXPECT_EQ(refusal([] { (void)plait::measure::parse_names("--colours", "", known); }),
            "--colours knows no ''; it can be red, green, blue");
}

TEST(command_line, an_old_name_is_refused_by_the_one_that_it_has_now) {
  plait::measure::command_line command("about", "program");
  int limit = 4;
  command.option("--in-flight", limit, "help");
  command.renamed("--window", "--in-flight");
  for (std::string given : {"--window", "--window=7"}) {
    std::string program = "program";
    std::array words{program.data(), given.data()};
    EXPECT_EQ(refusal([&] { (void)command.parse(2, words.data(), true); }),
              "--window is --in-flight now");
  }
  EXPECT_EQ(limit, 4);
}

TEST(command_line, ranges_are_inclusive) {
  EXPECT_EQ(refusal([] { plait::measure::check_range("--steps", 1, 1, 9); }), "accepted");
  EXPECT_EQ(refusal([] { plait::measure::check_range("--steps", 9, 1, 9); }), "accepted");
  EXPECT_EQ(refusal([] { plait::measure::check_range("--steps", 0, 1, 9); }),
            "--steps is 0; it must be between 1 and 9");
}

TEST(command_line, a_name_is_a_place_in_its_list_and_an_enumerator) {
  enum class colour : std::uint8_t { red, green, blue };
  EXPECT_EQ(plait::measure::parse_place("--colour", "blue", known), 2U);
  EXPECT_EQ(plait::measure::parse_kind<colour>("--colour", "green", known), colour::green);
  EXPECT_EQ(refusal([] { (void)plait::measure::parse_kind<colour>("--colour", "pink", known); }),
            "--colour knows no 'pink'; it can be red, green, blue");
}

TEST(command_line, positive_is_more_than_nothing_and_no_more_than_the_most) {
  EXPECT_EQ(refusal([] { plait::measure::check_positive("--rate", 1e-9, 100); }), "accepted");
  EXPECT_EQ(refusal([] { plait::measure::check_positive("--rate", 100, 100); }), "accepted");
  for (const double value : {0.0, -1.0, 100.5, std::nan("")})
    EXPECT_EQ(refusal([&] { plait::measure::check_positive("--rate", value, 100); }),
              "--rate must be more than 0 and at most 100");
}

}  // namespace
