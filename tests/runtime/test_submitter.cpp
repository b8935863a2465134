// SPDX-License-Identifier: BSD-3-Clause
// Calls whose types are forgotten, as a binding for another language makes them.
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

template <class T>
[[nodiscard]] byte_range range_of(const T& x) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&x);
  return {begin, begin + sizeof x};
}
template <class T>
[[nodiscard]] strided_bytes memory_of(const T& x) {
  return strided_bytes::of(range_of(x));
}

struct counter {
  int* value;
  int* released;
};
void add_one(void* argument) {
  ++*static_cast<counter*>(argument)->value;
}
void give_back(void* argument) {
  ++*static_cast<counter*>(argument)->released;
}

class erased_calls : public ::testing::Test {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
};

TEST_F(erased_calls, a_task_runs_in_order_and_gives_its_argument_back_once) {
  runtime rt{env};
  int value = 0, released = 0, seen = -1;
  counter c{&value, &released};
  const data_access whole{memory_of(value), access_mode::inout};
  for (int i = 0; i < 3; ++i) {
    rt.submitter().task({.name = "add",
                         .run = add_one,
                         .argument = &c,
                         .release = give_back,
                         .accesses = {&whole, 1},
                         .urgency = high});
  }
  rt.task(
      "see", [](const int& x, int& to) { to = x; }, in(value), out(seen));
  rt.wait();
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(released, 3);
}

struct addition {
  double* to;
  double what[20];
};
template <int place>
void add_copied(void* argument) {
  const auto& a = *static_cast<const addition*>(argument);
  *a.to += a.what[place];
}

TEST_F(erased_calls, a_task_keeps_a_copy_of_its_argument_small_or_large_recorded_or_not) {
  runtime rt{env};
  double total = 0;
  const data_access whole{memory_of(total), access_mode::inout};
  const auto submit = [&](double first, double last) {
    addition a{&total, {}};
    a.what[0] = first;
    a.what[19] = last;
    rt.submitter().task({.name = "small",
                         .run = add_copied<0>,
                         .argument = &a,
                         .argument_bytes = sizeof(double*) + sizeof(double),
                         .accesses = {&whole, 1}});
    rt.submitter().task({.name = "large",
                         .run = add_copied<19>,
                         .argument = &a,
                         .argument_bytes = sizeof a,
                         .accesses = {&whole, 1}});
    a = {};
  };
  submit(1, 10);
  const strided_bytes waited_for = memory_of(total);
  rt.submitter().wait_on({&waited_for, 1});
  EXPECT_EQ(total, 11);
  rt.submitter().begin_record();
  EXPECT_TRUE(rt.submitter().recording());
  submit(2, 20);
  std::optional<graph> recorded = rt.submitter().end_record();
  ASSERT_TRUE(recorded.has_value());
  EXPECT_FALSE(rt.submitter().recording());
  rt.replay(*recorded, 3).wait();
  EXPECT_EQ(total, 11 + 3 * 22);
  rt.submitter().begin_record();
  submit(4, 40);
  EXPECT_FALSE(rt.submitter().end_record(false).has_value());
  rt.wait();
  EXPECT_EQ(total, 11 + 3 * 22);
}

TEST_F(erased_calls, the_end_of_a_task_can_be_waited_for) {
  runtime rt{env};
  int value = 0, released = 0;
  counter c{&value, &released};
  std::optional<event<void>> ended;
  rt.submitter().task({.name = task_name::of("waited for"),
                       .run = add_one,
                       .argument = &c,
                       .release = give_back,
                       .ended = &ended});
  ASSERT_TRUE(ended.has_value());
  ended->get();
  EXPECT_EQ(value, 1);
  EXPECT_TRUE(ended->done());
  EXPECT_FALSE(ended->dropped());
  rt.wait();
  EXPECT_EQ(released, 1);
  rt.submitter().begin_record();
  EXPECT_THROW(rt.submitter().task({.name = "recorded", .run = add_one, .ended = &ended}),
               usage_error);
  (void)rt.submitter().end_record(false);
}

TEST_F(erased_calls, a_caller_can_ask_where_it_is) {
  runtime rt{env};
  submitter& to = rt.submitter();
  EXPECT_TRUE(to.in_program());
  EXPECT_FALSE(to.in_task());
  bool in_task = false, in_program = true;
  rt.task(
      "asks",
      [&to](bool& a, bool& b) {
        a = to.in_task();
        b = to.in_program();
      },
      out(in_task), out(in_program));
  rt.wait();
  EXPECT_TRUE(in_task);
  EXPECT_FALSE(in_program);
  std::thread([&to] { EXPECT_FALSE(to.in_program() || to.in_task()); }).join();
}

TEST_F(erased_calls, a_task_runs_on_the_resource_that_it_names) {
  runtime rt{env, {.tasks = {.workers = 1}}};
  runtime other{env, {.tasks = {.workers = 1}}};
  const resource io = rt.resource("io");
  std::thread::id ran;
  const auto note = [](void* to) {
    *static_cast<std::thread::id*>(to) = std::this_thread::get_id();
  };
  rt.submitter().task({.name = "note", .run = note, .argument = &ran, .where = &io});
  rt.wait();
  EXPECT_NE(ran, std::thread::id());
  EXPECT_NE(ran, std::this_thread::get_id());
  EXPECT_THROW(
      other.submitter().task({.name = "note", .run = note, .argument = &ran, .where = &io}),
      usage_error);
}

TEST_F(erased_calls, a_recorded_task_runs_in_every_iteration) {
  runtime rt{env};
  int value = 0, released = 0;
  counter c{&value, &released};
  {
    const data_access whole{memory_of(value), access_mode::inout};
    graph one = rt.record([&] {
      rt.submitter().task({.name = "add",
                           .run = add_one,
                           .argument = &c,
                           .release = give_back,
                           .accesses = {&whole, 1}});
    });
    rt.replay(one, 5).wait();
    EXPECT_EQ(value, 5);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(erased_calls, what_is_refused_is_given_back_too) {
  runtime rt{env};
  int value = 0, released = 0;
  counter c{&value, &released};
  const data_access whole{memory_of(value), access_mode::reduce};
  try {
    rt.submitter().task({.name = "sum",
                         .run = add_one,
                         .argument = &c,
                         .release = give_back,
                         .accesses = {&whole, 1}});
    ADD_FAILURE() << "it was submitted";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "task 'sum': a reduction needs its type; name the access commutative, or call a "
                 "collective");
  }
  EXPECT_EQ(released, 1);
  EXPECT_THROW(rt.submitter().task({.name = "nothing"}), usage_error);
  rt.wait();
  EXPECT_EQ(value, 0);
}

TEST_F(erased_calls, messages_take_ranges_and_boxes_and_meet_typed_ones) {
  runtime rt{env};
  std::array<int, 12> grid{}, row{};
  for (int i = 0; i < 12; ++i) grid[static_cast<std::size_t>(i)] = 100 * env.rank() + i;
  strided_bytes column{.begin = reinterpret_cast<std::uintptr_t>(&grid[1]),
                       .row_bytes = sizeof(int)};
  column.axes[0] = {.rows = 3, .stride = 4 * sizeof(int)};  // elements 1, 5 and 9
  rt.submitter().message({.name = "column", .memory = column, .peer = right, .tag = 4});
  rt.recv("column", out(std::span(row).first(3)), left, 4);
  rt.send("whole", in(grid), right);
  std::array<int, 12> whole{};
  rt.submitter().message({.name = "whole",
                          .what = operation::kind::receive,
                          .memory = memory_of(whole),
                          .peer = left});
  rt.wait();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(row[static_cast<std::size_t>(i)], 100 * left + 1 + 4 * i);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(whole[static_cast<std::size_t>(i)], 100 * left + i);
}

TEST_F(erased_calls, a_collective_combines_with_any_function_of_bytes) {
  runtime rt{env};
  long mine = env.rank() + 1, total = 0;
  collective_call call("sum");
  call.send = range_of(mine);
  call.receive = range_of(total);
  call.shape.what = collective::operation::allreduce;
  call.shape.count = 1;
  call.shape.element_bytes = sizeof(long);
  call.combine = std::make_shared<const combine_bytes>(
      [](std::span<const std::byte> from, std::span<std::byte> to, bool) {
        long a = 0, b = 0;
        std::memcpy(&a, from.data(), sizeof a);
        std::memcpy(&b, to.data(), sizeof b);
        b += a;
        std::memcpy(to.data(), &b, sizeof b);
      });
  rt.submitter().collective(call);
  rt.wait();
  EXPECT_EQ(total, static_cast<long>(env.size()) * (env.size() + 1) / 2);
}

TEST_F(erased_calls, an_operation_on_a_window_needs_its_memory_and_an_address) {
  runtime rt{env};
  std::vector<int> mine(4, env.rank()), got(2, -1);
  auto all = rt.window(mine);
  const auto begin = reinterpret_cast<std::uintptr_t>(got.data());
  rt.submitter().one_sided({.name = "get",
                            .memory = all.memory(),
                            .what = operation::kind::get,
                            .peer = right,
                            .offset_bytes = sizeof(int),
                            .data = {begin, begin + 2 * sizeof(int)}});
  rt.wait();
  EXPECT_EQ(got, std::vector<int>(2, right));
}

}  // namespace
}  // namespace plait::test
