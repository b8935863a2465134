// SPDX-License-Identifier: BSD-3-Clause
// When MPI refuses to tell what has completed, nothing in flight can be followed any more, but MPI
// may go on with it.
#include <memory>
#include <utility>

#include <gtest/gtest.h>
#include <mpi.h>
#include <plait/comm/collective/library_call.hpp>
#include <plait/comm/engine.hpp>
#include <plait/comm/mpi.hpp>

#include "support/mpi_test.hpp"

namespace {
bool tests_fail = false;
}  // namespace

// Stand in for the library's.
extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  if (tests_fail) return MPI_ERR_OTHER;
  return PMPI_Test(request, done, status);
}
extern "C" int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                            MPI_Status statuses[]) {
  if (tests_fail) return MPI_ERR_OTHER;
  return PMPI_Testsome(count, requests, done, indices, statuses);
}

namespace plait::test {
namespace {

TEST(lost_requests, of_a_library_collective_leave_mpi_what_it_needs) {
  environment& env = test_environment();
  engine e(env, {.policy = progress::none});
  const auto combine = std::make_shared<const combine_bytes>(
      [](std::span<const std::byte> from, std::span<std::byte> to, bool) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
      });
  const std::weak_ptr<const combine_bytes> watched = combine;
  std::byte x{1};
  std::byte y{0};
  const collective::shape shape{.what = collective::operation::allreduce,
                                .ranks = env.size(),
                                .rank = env.rank(),
                                .count = 1};
  auto call = std::make_unique<collective::library_call>(shape, &x, &y, combine, true);
  struct outcome : operation {
    bool over = false;
    bool failed = false;
  } op;
  op.what = operation::kind::collective;
  op.call = call.get();
  op.completed = [](operation& self, const std::exception_ptr& failure) noexcept {
    static_cast<outcome&>(self).over = true;
    static_cast<outcome&>(self).failed = failure != nullptr;
  };
  const bool loses = env.rank() == 0;
  e.enqueue(op);
  if (!loses) env.barrier();  // rank 0's is under way, and nobody can complete it yet
  e.post(op);
  if (loses) {
    tests_fail = true;
    (void)e.poll();
    tests_fail = false;
    env.barrier();
    EXPECT_TRUE(op.over);
    EXPECT_TRUE(op.failed);
  }
  while (!op.over) (void)e.poll();
  call.reset();
  // The test has one reference itself.
  if (loses) {
    EXPECT_EQ(watched.use_count(), 2) << "MPI combines with it when the other rank comes";
    EXPECT_FALSE(e.cancel(0.2)) << "MPI still has the buffers";
    // Let it come to its end before the buffers go.
    while (y != std::byte{1}) {
      mpi_token_guard guard(env.token());
      int found = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, 0, native(env), &found, MPI_STATUS_IGNORE);
    }
  } else {
    EXPECT_EQ(watched.use_count(), 1);
  }
  env.barrier();
  EXPECT_EQ(y, std::byte{1});
}

}  // namespace
}  // namespace plait::test
