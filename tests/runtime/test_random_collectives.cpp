// SPDX-License-Identifier: BSD-3-Clause
// Random collectives of every kind, by every algorithm and by the MPI library, in place and not, on
// the world and communicators that overlap, a thousand in flight and ready in another order on
// every rank; each held against MPI's blocking one.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/runtime/runtime.hpp>

#include "collective_ways.hpp"
#include "random_call.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using what = collective::operation;

/// One group of ranks, as a communicator of plait's and one of MPI's.
struct group {
  communicator ours;
  MPI_Comm twin = MPI_COMM_NULL;
};

class groups {
 public:
  explicit groups(environment& env) : env_(env), all_{{env.world(), native(env)}} {
    const int rank = env.rank();
    const int columns = std::max(1, env.size() / 2);
    add("row", rank / columns, 0);
    add("column", rank % columns, 0);
    add("backwards", 0, -rank);
    add("odd", rank % 2 == 1 ? std::optional(0) : std::nullopt, 0);
    add("pair of the row", rank % 2, -rank, all_[1].ours, all_[1].twin);
    add("half", 2 * rank / env.size(), 0);
    add("parity", rank % 2, 0);
    adopt_own("adopted", rank % 3 == 0 ? 0 : 1, 5 * rank % 7);
  }
  ~groups() {
    for (std::size_t i = 1; i < all_.size(); ++i) {
      if (all_[i].twin != MPI_COMM_NULL) MPI_Comm_free(&all_[i].twin);
    }
  }
  groups(const groups&) = delete;
  groups& operator=(const groups&) = delete;

  [[nodiscard]] const group& operator[](std::size_t i) const { return all_[i]; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  void add(const char* name, std::optional<int> colour, int key) {
    add(name, colour, key, env_.world(), native(env_));
  }
  void add(const char* name, std::optional<int> colour, int key, const communicator& parent,
           MPI_Comm twin_parent) {
    group made{parent.split(name, colour, key)};
    MPI_Comm_split(twin_parent, colour.value_or(MPI_UNDEFINED), key, &made.twin);
    all_.push_back(made);
  }

  /// Made by the program, not by plait.
  void adopt_own(const char* name, int colour, int key) {
    group made;
    MPI_Comm_split(native(env_), colour, key, &made.twin);
    made.ours = adopt(env_, made.twin, name);
    all_.push_back(made);
  }

  environment& env_;
  std::vector<group> all_;
};

bool has_root(what op) {
  return op == what::bcast || collective::only_root_is_in_place(op);
}
bool has_place(what op) {
  return !is_neighbourly(op) && op != what::barrier && op != what::bcast;
}

/// How many are in flight at once: as many as make a thousand on every rank, whatever it is in.
std::size_t calls_at_once() {
  const char* const text = std::getenv("PLAIT_TEST_COLLECTIVES");
  return text != nullptr ? static_cast<std::size_t>(std::atoi(text)) : 1200;
}

/// Calls that this rank takes part in, by number, with buffers for all of them.
std::vector<random_call> random_jobs(const groups& all, unsigned seed, std::size_t count) {
  std::mt19937 mine(seed * 1000 + static_cast<unsigned>(test_environment().rank()));
  std::vector<random_call> jobs;
  jobs.reserve(count);  // tasks name what is in them
  for (std::size_t i = 0; i < count; ++i) {
    std::mt19937 same(seed * 77777 + static_cast<unsigned>(i));  // on every rank
    const std::size_t where = same() % all.size();
    if (all[where].ours.size() == 0) continue;
    random_call& j = jobs.emplace_back(random_call{.number = i, .where = where});
    j.op = collective::all_operations[same() % collective::all_operations.size()];
    const auto ways = ways_of(j.op);
    j.options = ways[same() % ways.size()];
    j.options.among = all[where].ours;
    j.in_place = same() % 2 == 0 && has_place(j.op);
    j.rank = j.options.among.rank();
    j.ranks = j.options.among.size();
    j.root = has_root(j.op) ? static_cast<int>(same() % static_cast<unsigned>(j.ranks)) : 0;
    lay_out(j, same, mine);
    allocate(j);
  }
  return jobs;
}

/// The input is there after `spin` rounds of work, once the gate is open.
void produce(runtime& rt, random_call& j, const int& gate, unsigned spin) {
  rt.task(
      "produce",
      [](ints& to, const ints& from, const int&, unsigned rounds) {
        for (std::atomic<unsigned> k = 0; k < rounds; ++k) continue;
        std::ranges::copy(from, to.begin());
      },
      out(j.input()), in(j.source), in(gate), spin);
}

void expect_right(const groups& all, std::vector<random_call>& jobs) {
  for (random_call& j : jobs) {
    mpi_token_guard guard(test_environment().token());
    ASSERT_EQ(j.y, expected_result(j, all[j.where].twin)) << j.text();
    const bool has_x = &j.input() == &j.x;
    ASSERT_EQ(j.x, has_x ? j.source : ints()) << j.text() << ": what is sent does not change";
  }
}

struct random_collectives : ::testing::Test {
  environment& env = test_environment();
  const groups all{env};
  std::mt19937 mine{static_cast<unsigned>(env.rank())};
  const disturbance disturb{.seed = 1, .probability = 0.05, .longest_delay_s = 1e-3};
};

TEST_F(random_collectives, as_they_are_submitted_equal_their_blocking_twins) {
  std::vector<random_call> jobs = random_jobs(all, 1, calls_at_once() / 3);
  const int gate = 0;
  runtime rt{env, {.engine = {.disturb = disturb}, .tasks = {.workers = 2}}};
  for (random_call& j : jobs) {
    produce(rt, j, gate, static_cast<unsigned>(mine() % 2000));
    submit(rt, j);
  }
  rt.wait();
  expect_right(all, jobs);
}

// None begins before this rank has submitted all of them; then their inputs come in an order of its
// own.  Every rank submits the calls on one communicator in their order, and those on different
// ones as it likes.
TEST_F(random_collectives, a_thousand_in_flight_at_once_equal_their_blocking_twins) {
  std::vector<random_call> jobs = random_jobs(all, 2, calls_at_once());
  int gate = 0;
  const int open = 1;
  constexpr std::size_t for_all = std::size_t{1} << 18;  // else submission would wait for the gate
  runtime rt{env, {.engine = {.disturb = disturb}, .tasks = {.workers = 2, .in_flight = for_all}}};
  rt.recv("gate", out(gate), env.rank(), 0);
  std::vector<random_call*> ready;
  for (random_call& j : jobs) ready.push_back(&j);
  std::ranges::shuffle(ready, mine);
  for (random_call* j : ready) produce(rt, *j, gate, static_cast<unsigned>(mine() % 200));
  std::vector<std::deque<random_call*>> left(all.size());
  for (random_call& j : jobs) left[j.where].push_back(&j);
  for (std::size_t i = 0; i < jobs.size();) {
    auto& on_one = left[mine() % left.size()];
    if (on_one.empty()) continue;
    submit(rt, *on_one.front());
    on_one.pop_front();
    ++i;
  }
  rt.send("gate", in(open), env.rank(), 0);
  rt.wait();
  expect_right(all, jobs);
}

}  // namespace
}  // namespace plait::test
