// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include <mpi.h>
#include <plait/array/process_grid.hpp>

#include "support/mpi_test.hpp"

namespace {

TEST(grid_as_mpi, chosen_grids_are_those_of_this_MPI_library) {
  for (int ranks = 1; ranks <= 256; ++ranks) {
    std::array<int, 3> expected{0, 0, 0};
    ASSERT_EQ(MPI_Dims_create(ranks, 3, expected.data()), MPI_SUCCESS);
    std::ranges::reverse(expected);  // largest to z, the slowest
    EXPECT_EQ(plait::process_grid<3>::choose(ranks).dims(), expected) << ranks << " ranks";
  }
}

}  // namespace
