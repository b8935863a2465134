// SPDX-License-Identifier: BSD-3-Clause
// A test that fails on one rank only, for the tests of the test main.
#include "support/mpi_test.hpp"

namespace {

TEST(faulty, fails_on_rank_1) {
  EXPECT_NE(plait::test::test_environment().rank(), 1);
}

}  // namespace
