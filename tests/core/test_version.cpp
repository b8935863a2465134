// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <plait/core/version.hpp>

TEST(version, is_three_numbers_with_dots_between) {
  const std::string text(plait::version());
  int major = -1, minor = -1, patch = -1;
  ASSERT_EQ(std::sscanf(text.c_str(), "%d.%d.%d", &major, &minor, &patch), 3) << text;
  EXPECT_EQ(text,
            std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch));
}
