// SPDX-License-Identifier: BSD-3-Clause
// Messages of a program that calls MPI itself: background_progress_program
// refused|exchange|forgotten.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>
#include <plait/comm/background_progress.hpp>
#include <plait/core/error.hpp>

namespace {

using plait::background_progress;

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
void expect(bool condition, const char* what) {
  if (!condition) fail(what);
}

int start_mpi(int& argc, char**& argv, int level) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  expect(provided >= level, "the MPI library offers fewer threads than the test needs");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

template <class Condition>
void sleep_until(const Condition& condition, const char* what) {
  using namespace std::chrono_literals;
  const auto late = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    expect(std::chrono::steady_clock::now() < late, what);
    std::this_thread::sleep_for(1ms);
  }
}

void is_refused_below_multiple() {
  try {
    const background_progress no;
    fail("progress began at MPI_THREAD_SERIALIZED");
  } catch (const plait::usage_error& e) {
    expect(std::string(e.what()).find("MPI_THREAD_MULTIPLE") != std::string::npos, e.what());
  }
  background_progress::stop();  // without a scope: no effect
  try {
    background_progress::start(-1);
    fail("an interval below 0 was taken");
  } catch (const plait::usage_error& e) {
    expect(std::string(e.what()).find("interval") != std::string::npos, e.what());
  }
}

/// Both ranks read in their memory that the other's long message is there, and call MPI neither
/// before nor meanwhile.
void exchange_while_nobody_calls_mpi(int rank) {
  constexpr std::size_t words = std::size_t{1} << 20;
  const auto word_of = [](int from, int round, std::size_t i) {
    return static_cast<std::uint64_t>(from + 1) << 32 ^
           static_cast<std::uint64_t>(round + 1) << 24 ^ i;
  };
  std::vector<std::uint64_t> sent(words);
  std::vector<std::uint64_t> got(words);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < words; ++i) sent[i] = word_of(rank, round, i);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request both[2];
    MPI_Irecv(got.data(), words, MPI_UINT64_T, 1 - rank, round, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(sent.data(), words, MPI_UINT64_T, 1 - rank, round, MPI_COMM_WORLD, &both[1]);
    {
      const background_progress outer;
      { const background_progress inner; }
      const volatile std::uint64_t* const seen = got.data();
      for (const std::size_t i : {words / 2, words - 1, std::size_t{0}}) {
        const std::uint64_t last = word_of(1 - rank, round, i);
        sleep_until([&] { return seen[i] == last; }, "the message has not come");
      }
      // MPI_Irecv may have found the message, and have copied it at once.
      sleep_until([] { return background_progress::looks() > 0; }, "nobody has looked");
    }
    const std::uint64_t looks = background_progress::looks();
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    expect(background_progress::looks() == looks, "somebody looks after the end of the scope");
    for (std::size_t i = 0; i < words; ++i)
      expect(got[i] == word_of(1 - rank, round, i), "the message has other words");
  }
}

void finalize_in_a_scope() {
  background_progress::start(1e-3);
  const std::uint64_t before = background_progress::looks();
  sleep_until([&] { return background_progress::looks() > before + 2; }, "nobody looks");
  MPI_Finalize();
  const std::uint64_t looks = background_progress::looks();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (background_progress::looks() != looks) std::abort();
  background_progress::stop();
  try {
    background_progress::start(1e-3);
    std::abort();
  } catch (const plait::usage_error&) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc > 1 ? argv[1] : "";
  const int rank =
      start_mpi(argc, argv, way == "refused" ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE);
  if (way == "refused") is_refused_below_multiple();
  if (way == "exchange") exchange_while_nobody_calls_mpi(rank);
  if (way == "forgotten") {
    finalize_in_a_scope();
  } else {
    MPI_Finalize();
  }
  std::printf("as it should be\n");
}
