// SPDX-License-Identifier: BSD-3-Clause
// Messages of boxes of arrays: what arrives, what waits for it, and what is packed.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/view.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

/// Cells from (0, 0, 0) on, with values that tell rank and cell.
struct cube {
  cube(const extents<3>& size, int rank)
      : data(static_cast<std::size_t>(size.product())),
        u(data.data(), box<3>(size), {1, size.along[0], size.along[0] * size.along[1]}) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = rank * 1000 + static_cast<int>(i);
    }
  }
  std::vector<int> data;
  view<int, 3> u;
};

[[nodiscard]] std::vector<int> cells_of(const view<int, 3>& part) {
  std::vector<int> all;
  for_each_cell(part.cells(), [&](const point<3>& cell) { all.push_back(part[cell]); });
  return all;
}

class box_messages : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  const extents<3> size{7, 6, 5};
  const box<3> rows{{2, 1, 1}, {5, 4, 3}};     // lie apart
  const box<3> planes{{0, 0, 2}, {7, 6, 4}};   // side by side
  const box<3> one_row{{1, 2, 3}, {6, 3, 4}};  // side by side
  const box<3> column{{6, 0, 2}, {7, 6, 3}};   // lies apart

  [[nodiscard]] std::size_t packed(const runtime& /*rt*/, std::vector<trace_event> events) const {
    return static_cast<std::size_t>(std::ranges::count_if(events, [](const trace_event& e) {
      return e.name.starts_with("pack ") || e.name.starts_with("unpack ");
    }));
  }
};
INSTANTIATE_TEST_SUITE_P(messages, box_messages, ::testing::ValuesIn(all_policies),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(box_messages, bring_each_cell_to_its_place_and_touch_no_other) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  for (const box<3>& cells : {rows, planes, one_row, column, box<3>()}) {
    cube mine(size, env.rank());
    cube theirs(size, left);
    cube here({9, 8, 6}, 7);
    std::vector<int> expected = here.data;
    const box<3> to = shift(cells, {2, 2, 1});
    for_each_cell(cells, [&](const point<3>& cell) {
      const point<3> at = cell + extents<3>{2, 2, 1};
      expected[static_cast<std::size_t>(here.u.at(at) - here.data.data())] = theirs.u[cell];
    });
    rt.recv("ghosts", out(here.u[to]), left);
    rt.send("edge", in(mine.u[cells]), right);
    rt.wait();
    EXPECT_EQ(here.data, expected) << to_string(cells);
  }
}

TEST_P(box_messages, are_the_cells_x_fastest_to_who_names_them_otherwise) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  const cube mine(size, env.rank());
  cube here(size, 7);
  const auto count = static_cast<std::size_t>(rows.size());
  std::vector<int> as_list(count);
  const std::vector<int> sent = cells_of(cube(size, left).u[rows]);
  std::vector<int> list = cells_of(mine.u[rows]);
  rt.recv("list", out(as_list), left, 1);
  rt.recv("box", out(here.u[rows]), left, 2);
  rt.send("box", in(mine.u[rows]), right, 1);
  rt.send("list", in(list), right, 2);
  rt.wait();
  EXPECT_EQ(as_list, sent);
  EXPECT_EQ(cells_of(here.u[rows]), sent);
}

TEST_P(box_messages, are_packed_only_where_cells_lie_apart) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 1}}};
  cube mine(size, env.rank());
  cube here(size, 7);
  const auto packed_for = [&](const box<3>& cells) {
    rt.start_trace();
    rt.recv("ghosts", out(here.u[cells]), left);
    rt.send("edge", in(mine.u[cells]), right);
    rt.wait();
    return packed(rt, rt.stop_trace());
  };
  EXPECT_EQ(packed_for(planes), 0U);
  EXPECT_EQ(packed_for(one_row), 0U);
  EXPECT_EQ(packed_for(rows), 2U);
  EXPECT_EQ(packed_for(column), 2U);
}

TEST_P(box_messages, conflict_with_who_shares_a_cell_and_with_nobody_else) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  cube mine(size, env.rank());
  cube here(size, 7);
  std::atomic<bool> arrived{false};
  const box<3> beside({5, 1, 1}, {7, 4, 3});
  const auto fill = [](view<int, 3> cells) {
    for_each_cell(cells.cells(), [&](const point<3>& cell) { cells[cell] = -1; });
  };
  rt.recv("ghosts", out(here.u[rows]), left);
  rt.task("beside the ghosts", fill, inout(here.u[beside]));
  rt.wait_on(here.u[beside]);  // nobody has sent yet, so it waits for no message
  rt.send("edge", in(mine.u[rows]), right);
  rt.task("beside the edge", fill, inout(mine.u[beside]));
  rt.task(
      "use",
      [&arrived](view<const int, 3> cells, int& sum) {
        for_each_cell(cells.cells(), [&](const point<3>& cell) { sum += cells[cell]; });
        arrived = true;
      },
      in(here.u[rows]), inout(here.data[0]));
  rt.wait();
  int sum = 7000;
  for (const int cell : cells_of(cube(size, left).u[rows])) sum += cell;
  EXPECT_EQ(here.data[0], sum);
  EXPECT_TRUE(arrived.load());
}

TEST_P(box_messages, keep_their_order_in_replays) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 3}}};
  cube mine(size, env.rank());
  const box<3> ghosts{{0, 1, 1}, {1, 5, 4}};
  const box<3> edge{{6, 1, 1}, {7, 5, 4}};
  graph step = rt.record([&] {
    rt.recv("ghosts", out(mine.u[ghosts]), left);
    rt.send("edge", in(mine.u[edge]), right);
    rt.task(
        "shift",
        [](view<int, 3> all) {
          for_each_row(box<3>({0, 1, 1}, {1, 5, 4}), [&](const point<3>& first) {
            int* const row = all.at(first);
            for (int x = 6; x > 0; --x) row[x] = row[x - 1];
          });
        },
        inout(mine.u[box<3>({0, 1, 1}, {7, 5, 4})]));
  });
  constexpr int steps = 7;
  rt.replay(step, steps);
  rt.replay(step, steps);
  rt.wait();
  // The ghosts are what the last cell of the left neighbour was before it moved on.
  std::vector<cube> all;
  for (int r = 0; r < env.size(); ++r) all.emplace_back(size, r);
  for (int i = 0; i < 2 * steps; ++i) {
    for_each_cell(ghosts, [&](const point<3>& cell) {
      std::vector<int> last;
      for (const cube& one : all) last.push_back(one.u[cell + extents<3>{6, 0, 0}]);
      for (std::size_t r = 0; r < all.size(); ++r) {
        int* const row = all[r].u.at(cell);
        row[0] = last[(r + all.size() - 1) % all.size()];
        for (int x = 6; x > 0; --x) row[x] = row[x - 1];
      }
    });
  }
  EXPECT_EQ(mine.data, all[static_cast<std::size_t>(env.rank())].data);
}

TEST_P(box_messages, to_nobody_are_nothing) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 1}}};
  cube mine(size, env.rank());
  const std::vector<int> before = mine.data;
  rt.start_trace();
  rt.recv("ghosts", out(mine.u[rows]), no_rank);
  rt.send("edge", in(mine.u[rows]), no_rank);
  rt.wait();
  EXPECT_EQ(packed(rt, rt.stop_trace()), 0U);
  EXPECT_EQ(mine.data, before);
}

TEST_P(box_messages, that_cannot_be_sent_pack_nothing) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 1}}};
  cube mine(size, env.rank());
  rt.start_trace();
  EXPECT_THROW(rt.send("edge", in(mine.u[rows]), env.size()), usage_error);
  EXPECT_THROW(rt.send("edge", in(mine.u[rows]), 0, -1), usage_error);
  EXPECT_THROW(rt.recv("ghosts", out(mine.u[rows]), -5), usage_error);
  rt.wait();
  EXPECT_EQ(packed(rt, rt.stop_trace()), 0U);
}

TEST_P(box_messages, of_another_size_are_named) {
  cube mine(size, env.rank());
  cube here(size, 7);
  const int last = env.size() - 1;
  std::string text;
  {
    runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
    if (env.rank() == 0) rt.send("edge", in(mine.u[column]), last, 3);
    if (env.rank() == last) rt.recv("ghosts", out(here.u[rows]), 0, 3);
    try {
      rt.wait();
    } catch (const error& e) {
      text = e.what();
    }
  }
  if (env.rank() == last) {
    EXPECT_EQ(text,
              "receive 'ghosts' of 72 bytes from rank 0, tag 3: the message sent has 24 bytes");
  }
  env.barrier();
}

}  // namespace
}  // namespace plait::test
