// SPDX-License-Identifier: BSD-3-Clause
// The main of a test on several ranks: rank 0 prints what GoogleTest prints, the others only their
// failures; the result is that of all ranks.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/environment.hpp>
#include <plait/comm/mpi.hpp>

#include "chosen_tests.hpp"
#include "listeners.hpp"
#include "mpi_test.hpp"
#include "watchdog.hpp"

namespace plait::test {
namespace {

environment* the_environment = nullptr;

/// On ranks above 0: a failure as soon as it happens, and nothing else.
class failure_printer : public ::testing::EmptyTestEventListener {
 public:
  explicit failure_printer(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const ::testing::TestInfo& info) override {
    test_ = std::string(info.test_suite_name()) + "." + info.name();
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s: %s:%d: Failure\n%s\n", rank_, test_.c_str(),
                 result.file_name() != nullptr ? result.file_name() : "unknown file",
                 result.line_number(), result.message());
    std::fflush(stderr);
  }

  int rank_;
  std::string test_;
};

/// After each test the ranks agree whether it failed: rank 0 lists who did, and no rank runs ahead
/// into the next test while another is still in this one.
class agreement : public ::testing::EmptyTestEventListener {
 public:
  explicit agreement(MPI_Comm communicator) { MPI_Comm_dup(communicator, &communicator_); }
  void free() { MPI_Comm_free(&communicator_); }

 private:
  void OnTestEnd(const ::testing::TestInfo& info) override {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(communicator_, &rank);
    MPI_Comm_size(communicator_, &size);
    const int failed = info.result()->Failed() ? 1 : 0;
    std::vector<int> all(static_cast<std::size_t>(size));
    MPI_Allgather(&failed, 1, MPI_INT, all.data(), 1, MPI_INT, communicator_);
    std::string others;
    for (int r = 0; r < size; ++r) {
      if (all[static_cast<std::size_t>(r)] != 0) others.append(1, ' ').append(std::to_string(r));
    }
    if (rank == 0 && failed == 0 && !others.empty()) ADD_FAILURE() << "failed on ranks" << others;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
};

bool rank_count_is_right(int size, int rank) {
  const char* expected = std::getenv("PLAIT_TEST_RANKS");
  if (expected == nullptr || std::to_string(size) == expected) return true;
  if (rank == 0)
    std::fprintf(stderr, "this test is registered for %s ranks and was started with %d\n", expected,
                 size);
  return false;
}

int run_all_tests(MPI_Comm communicator, int rank) {
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new failure_printer(rank));
  }
  listeners.Append(new name_listener);
  auto* agree = new agreement(communicator);
  listeners.Append(agree);
  const int result = RUN_ALL_TESTS();
  agree->free();
  int worst = result;
  MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, communicator);
  return worst;
}

}  // namespace

environment& test_environment() {
  return *the_environment;
}

}  // namespace plait::test

int main(int argc, char** argv) {
  using namespace plait::test;
  start_watchdog();
  set_current_test("MPI_Init");
  plait::environment env{argc, argv};
  ::testing::InitGoogleTest(&argc, argv);
  the_environment = &env;
  set_current_test("before the first test");
  int result = 1;
  if (rank_count_is_right(env.size(), env.rank()) && choose_tests(argc, argv))
    result = run_all_tests(plait::native(env), env.rank());
  set_current_test("MPI_Finalize");
  return result;
}
