// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <plait/comm/progress_policy.hpp>

namespace {

using plait::progress;

TEST(progress_policy, names_and_policies_convert_into_each_other) {
  for (const progress p : {progress::automatic, progress::dedicated, progress::sleeping,
                           progress::workers, progress::none}) {
    EXPECT_EQ(plait::progress_from(plait::to_string(p)), p);
  }
  EXPECT_EQ(plait::progress_from("auto"), progress::automatic);
  EXPECT_EQ(plait::progress_from("polling"), std::nullopt);
  EXPECT_EQ(plait::progress_from(""), std::nullopt);
}

TEST(progress_policy, all_names_are_listed_for_the_user) {
  EXPECT_EQ(plait::progress_names(), "auto, dedicated, sleeping, workers or none");
}

}  // namespace
