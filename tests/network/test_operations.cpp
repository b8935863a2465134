// SPDX-License-Identifier: BSD-3-Clause
// Every operation brings the same, right data by MPI's blocking and non-blocking call and by
// plait's, and wrong data are found.
#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "operation.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using network::nbc::all_operations;
using network::nbc::buffers;
using network::nbc::operation;

constexpr std::size_t sizes_bytes[] = {8, 1000, std::size_t{72} * 1024};

class every_operation : public ::testing::TestWithParam<operation> {};

TEST_P(every_operation, brings_the_right_data_by_the_blocking_call) {
  for (const std::size_t size : sizes_bytes) {
    buffers data(GetParam(), size, native(test_environment()));
    ASSERT_EQ(GetParam().blocking(data), MPI_SUCCESS);
    EXPECT_NO_THROW(data.expect_right()) << size;
  }
}

TEST_P(every_operation, brings_the_right_data_by_the_non_blocking_call) {
  for (const std::size_t size : sizes_bytes) {
    buffers data(GetParam(), size, native(test_environment()));
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(GetParam().start(data, request), MPI_SUCCESS);
    ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_NO_THROW(data.expect_right()) << size;
  }
}

TEST_P(every_operation, brings_the_right_data_as_a_task) {
  for (const std::size_t size : sizes_bytes) {
    buffers data(GetParam(), size, native(test_environment()));
    runtime rt{test_environment(), {.tasks = {.workers = 1}}};
    GetParam().submit(rt, data, {});
    rt.wait();
    EXPECT_NO_THROW(data.expect_right()) << size;
  }
}

TEST_P(every_operation, brings_the_right_data_by_the_librarys_own_call_in_a_task) {
  if (network::nbc::has_neighbours(GetParam())) return;
  for (const std::size_t size : sizes_bytes) {
    buffers data(GetParam(), size, native(test_environment()));
    runtime rt{test_environment(), {.tasks = {.workers = 1}}};
    GetParam().submit(rt, data, {.back_end = collective::back_end::library});
    rt.wait();
    EXPECT_NO_THROW(data.expect_right()) << size;
  }
}

TEST_P(every_operation, that_was_not_done_is_found_out) {
  const buffers data(GetParam(), 64, native(test_environment()));
  bool touched = false;
  for (std::size_t part = 0; part < data.received.blocks.size(); ++part)
    for (std::size_t i = 0; i < data.received.blocks[part].count; ++i)
      touched = touched || GetParam().expected(data.place_of(data.received, part, i)).has_value();
  const bool has_it_already = GetParam().in_place && data.rank == 0;
  if (touched && !has_it_already) {
    EXPECT_THROW(data.expect_right(), error);
  } else {
    EXPECT_NO_THROW(data.expect_right());
  }
}

TEST_P(every_operation, says_which_element_is_wrong) {
  buffers data(GetParam(), 64, native(test_environment()));
  ASSERT_EQ(GetParam().blocking(data), MPI_SUCCESS);
  if (data.receive.empty()) return;  // no part for this rank
  data.receive.back() += 0.25;
  try {
    data.expect_right();
    ADD_FAILURE() << "nothing was said";
  } catch (const error& said) {
    const std::string where = "at index " + std::to_string(data.receive.size() - 1);
    EXPECT_NE(std::string(said.what()).find(where), std::string::npos) << said.what();
  }
}

INSTANTIATE_TEST_SUITE_P(operations, every_operation, ::testing::ValuesIn(all_operations()),
                         [](const auto& which) { return std::string(which.param.name); });

TEST(operations, take_as_much_memory_as_they_say) {
  for (const operation& what : all_operations()) {
    const buffers data(what, 4096, native(test_environment()));
    unsigned long most = sizeof(double) * (data.send.size() + data.receive.size());
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UNSIGNED_LONG, MPI_MAX, native(test_environment()));
    EXPECT_EQ(network::nbc::memory_bytes(what, 4096, data.ranks), most) << what.name;
  }
}

}  // namespace
}  // namespace plait::test
