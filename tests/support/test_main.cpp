// SPDX-License-Identifier: BSD-3-Clause
// The main of a test that is one process and knows no MPI.
#include <gtest/gtest.h>

#include "chosen_tests.hpp"
#include "listeners.hpp"
#include "watchdog.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!plait::test::choose_tests(argc, argv)) return 1;
  plait::test::start_watchdog();
  ::testing::UnitTest::GetInstance()->listeners().Append(new plait::test::name_listener);
  return RUN_ALL_TESTS();
}
