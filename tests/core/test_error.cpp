// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>

namespace {

std::string describe(int x) {
  return "x is " + std::to_string(x);
}

TEST(error, bad_input_is_an_error_and_an_error_is_a_runtime_error) {
  try {
    throw plait::usage_error("--size 0: give a size from 1");
  } catch (const plait::error& e) {
    EXPECT_STREQ(e.what(), "--size 0: give a size from 1");
  }
  EXPECT_THROW(throw plait::error("x"), std::runtime_error);
}

TEST(plain_text, has_no_escape_sequences_and_keeps_every_letter) {
  EXPECT_EQ(plait::plain_text("a\x1b[31mb\x07\r\x7f"), "a[31mb");
  EXPECT_EQ(plait::plain_text("\xC2\x9B"
                              "2J\xE2\x80\xAE"
                              "x\xE2\x81\xA9"),
            "2Jx");
  const std::string kept = "task \"p\u00e4nel \u00b5\u2026\"\n\t\xE2\x80";
  EXPECT_EQ(plait::plain_text(kept), kept);
}

TEST(plain_text, is_what_an_exception_says) {
  const auto thrown = std::make_exception_ptr(plait::error("\x1b]0;title\x07"));
  plait::note_origin(thrown, "task '\x1b[2J'");
  EXPECT_EQ(plait::exception_text(thrown), "task '[2J': ]0;title");
}

TEST(error, the_process_label_is_what_was_set_last) {
  const std::string before = plait::process_label();
  plait::set_process_label("rank 3 on node1");
  EXPECT_EQ(plait::process_label(), "rank 3 on node1");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int n = 0; n < 1000; ++n) {
        plait::set_process_label("some label that is too long for a small string");
        EXPECT_FALSE(plait::process_label().empty());
      }
    });
  }
  for (auto& t : threads) t.join();
  plait::set_process_label(before);
}

TEST(expects, values_are_evaluated_only_on_failure) {
  bool evaluated = false;
  const auto values = [&evaluated] {
    evaluated = true;
    return std::string();
  };
  PLAIT_EXPECTS(1 + 1 == 2, values());
  EXPECT_FALSE(evaluated);
}

TEST(expects_death, a_failure_prints_process_place_expression_and_values) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        plait::set_process_label("rank 7 on node2");
        const int x = 5;
        PLAIT_EXPECTS(x < 5, describe(x));
      },
      "plait: rank 7 on node2: .*test_error.cpp:[0-9]+: expected x < 5; x is 5");
}

TEST(expects_death, a_failure_calls_the_abort_handler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        plait::set_abort_handler([]() noexcept { std::_Exit(17); });
        PLAIT_EXPECTS(false, "");
      },
      ::testing::ExitedWithCode(17), "expected false");
}

}  // namespace
