// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>

#include "comm/transport_settings.hpp"

namespace plait::test {
namespace {

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
constexpr const char* single_copy = "OMPI_MCA_btl_vader_single_copy_mechanism";

// Another rank's kernel call fails on pages that this rank has closed to a task.
TEST(transport_settings, in_checked_mode_no_rank_reads_the_memory_of_another) {
  unsetenv(single_copy);
  unsetenv("PLAIT_CHECKED");
  (void)detail::set_transport_defaults();
  EXPECT_EQ(std::getenv(single_copy), nullptr);
  setenv("PLAIT_CHECKED", "1", 1);
  const std::string set = detail::set_transport_defaults();
  EXPECT_NE(set.find(std::string(single_copy) + "=none"), std::string::npos) << set;
  ASSERT_NE(std::getenv(single_copy), nullptr);
  EXPECT_STREQ(std::getenv(single_copy), "none");
}
#endif

TEST(transport_settings, what_the_user_has_set_stays) {
  setenv("PLAIT_CHECKED", "1", 1);
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "cma", 1);
  (void)detail::set_transport_defaults();
  EXPECT_STREQ(std::getenv("OMPI_MCA_btl_vader_single_copy_mechanism"), "cma");
}

}  // namespace
}  // namespace plait::test
