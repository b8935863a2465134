// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "measure/base/size_list.hpp"

namespace {

using plait::measure::parse_sizes;
using plait::measure::size_label;

TEST(size_list, knows_its_units) {
  const std::vector<std::size_t> expected{8, 9, 4096, std::size_t{3} << 20};
  EXPECT_EQ(parse_sizes("--sizes", "8,9B,4KiB,3MiB", 1), expected);
}

TEST(size_list, labels_are_read_back) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{1023}, std::size_t{1024},
                                 std::size_t{1536}, std::size_t{1} << 30}) {
    EXPECT_EQ(parse_sizes("--sizes", size_label(size), 1).front(), size) << size_label(size);
  }
}

TEST(size_list, refuses_what_is_no_size) {
  for (const char* text : {"", "0", "7", "-8", "8,,9", "8KB", "KiB", "2048MiB", "8 ", "16,16B",
                           "99999999999999999999"}) {
    EXPECT_THROW((void)parse_sizes("--sizes", text, 8), plait::usage_error) << text;
  }
}

}  // namespace
