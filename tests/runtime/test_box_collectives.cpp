// SPDX-License-Identifier: BSD-3-Clause
// Collective operations on boxes of arrays give what they give on the same cells side by side, and
// touch no others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/view.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

constexpr int before = -7;

/// Cells [0, size) of an array with a rim of two.
struct board {
  explicit board(const extents<2>& size)
      : cells(size),
        data(static_cast<std::size_t>(grow(box<2>(size), extents<2>(2)).size()), before),
        u(view<int, 2>(data.data(), grow(box<2>(size), extents<2>(2)),
                       {1, size.along[0] + 4})[cells]) {}

  void put(const std::vector<int>& values) {
    auto next = values.begin();
    for_each_cell(cells, [&](const point<2>& cell) { u[cell] = *next++; });
  }
  [[nodiscard]] std::vector<int> values() const {
    std::vector<int> all;
    for_each_cell(cells, [&](const point<2>& cell) { all.push_back(u[cell]); });
    return all;
  }
  [[nodiscard]] bool rim_is_untouched() const {
    return static_cast<std::int64_t>(std::ranges::count(data, before)) >=
           static_cast<std::int64_t>(data.size()) - cells.size();
  }

  box<2> cells;
  std::vector<int> data;
  view<int, 2> u;
};

class box_collectives
    : public ::testing::TestWithParam<std::tuple<collective::back_end, bool, bool>> {
 protected:
  environment& env = test_environment();
  const std::int64_t ranks = env.size();
  const int root = env.size() - 1;

  [[nodiscard]] collective_options options() const { return {.back_end = std::get<0>(GetParam())}; }

  [[nodiscard]] std::vector<int> numbers(std::int64_t count) const {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) all.push_back(1 + env.rank() * 100 + i);
    return all;
  }

  /// `call(rt, x, y)` with boxes as one or both of the buffers, and with vectors.
  template <class Call>
  void compare(const std::string& what, std::int64_t sent, std::int64_t received, Call call) {
    const auto [back_end, x_is_box, y_is_box] = GetParam();
    runtime rt{env, {.tasks = {.workers = 2}}};
    board x({sent / 2, 2});
    board y({received / 2, 2});
    std::vector<int> flat_x = numbers(sent);
    std::vector<int> flat_y(static_cast<std::size_t>(received), before);
    x.put(flat_x);
    y.put(flat_y);
    std::vector<int> x_values = flat_x;
    std::vector<int> y_values = flat_y;
    call(rt, std::span<int>(flat_x), std::span<int>(flat_y));
    const auto all = [&] {
      if (x_is_box && y_is_box) return call(rt, x.u, y.u);
      if (x_is_box) return call(rt, x.u, std::span<int>(y_values));
      if (y_is_box) return call(rt, std::span<int>(x_values), y.u);
      call(rt, std::span<int>(x_values), std::span<int>(y_values));
    };
    // Twice: the second call's messages leave while the first one's are unpacked.
    graph one = rt.record(all);
    rt.replay(one, 2);
    rt.wait();
    EXPECT_EQ(y_is_box ? y.values() : y_values, flat_y) << what;
    EXPECT_EQ(x_is_box ? x.values() : x_values, flat_x) << what;
    EXPECT_TRUE(x.rim_is_untouched() && y.rim_is_untouched()) << what;
  }

  /// Compares a collective in place on a box with the same call on a plain span.
  template <class Call>
  void compare_in_place(const std::string& what, std::int64_t count, Call call) {
    runtime rt{env, {.tasks = {.workers = 2}}};
    board x({count / 2, 2});
    std::vector<int> flat = numbers(count);
    x.put(flat);
    call(rt, std::span<int>(flat));
    call(rt, x.u);
    rt.wait();
    EXPECT_EQ(x.values(), flat) << what << ", in place";
    EXPECT_TRUE(x.rim_is_untouched()) << what;
  }
};
[[nodiscard]] std::string name_of(const ::testing::TestParamInfo<box_collectives::ParamType>& one) {
  const auto& [back_end, x_is_box, y_is_box] = one.param;
  return std::string(back_end == collective::back_end::library ? "library" : "schedules") +
         (x_is_box ? "_from_a_box" : "_from_a_vector") + (y_is_box ? "_to_a_box" : "_to_a_vector");
}
INSTANTIATE_TEST_SUITE_P(calls, box_collectives,
                         ::testing::Combine(::testing::Values(collective::back_end::schedules,
                                                              collective::back_end::library),
                                            ::testing::Bool(), ::testing::Bool()),
                         name_of);

TEST_P(box_collectives, that_combine_are_those_of_the_cells) {
  const auto with = options();
  compare("reduce", 6, 6,
          [&](runtime& rt, auto x, auto y) { rt.reduce("all", in(x), out(y), root, sum{}, with); });
  compare("allreduce", 6, 6, [&](runtime& rt, auto x, auto y) {
    rt.allreduce("all", in(x), out(y), maximum{}, with);
  });
  compare("scan", 6, 6,
          [&](runtime& rt, auto x, auto y) { rt.scan("all", in(x), out(y), sum{}, with); });
  compare("exscan", 6, 6,
          [&](runtime& rt, auto x, auto y) { rt.exscan("all", in(x), out(y), sum{}, with); });
  compare("reduce_scatter_block", 4 * ranks, 4, [&](runtime& rt, auto x, auto y) {
    rt.reduce_scatter_block("all", in(x), out(y), sum{}, with);
  });
}

TEST_P(box_collectives, that_move_parts_are_those_of_the_cells) {
  const auto with = options();
  compare("gather", 4, 4 * ranks,
          [&](runtime& rt, auto x, auto y) { rt.gather("all", in(x), out(y), root, with); });
  compare("scatter", 4 * ranks, 4,
          [&](runtime& rt, auto x, auto y) { rt.scatter("all", in(x), out(y), root, with); });
  compare("allgather", 4, 4 * ranks,
          [&](runtime& rt, auto x, auto y) { rt.allgather("all", in(x), out(y), with); });
  compare("alltoall", 2 * ranks, 2 * ranks,
          [&](runtime& rt, auto x, auto y) { rt.alltoall("all", in(x), out(y), with); });
  compare("bcast", 6, 6, [&](runtime& rt, auto x, auto y) {
    rt.bcast("inout", inout(y), root, with);
    if (env.rank() == root) {
      rt.bcast("in or out", in(y), root, with);
    } else {
      rt.bcast("in or out", out(y), root, with);
    }
    rt.bcast("x", inout(x), 0, with);
  });
}

TEST_P(box_collectives, in_place_leave_what_they_leave) {
  const auto with = options();
  const bool is_root = env.rank() == root;
  const auto of_root = [&](const auto& call, const auto& otherwise) {
    return [&](runtime& rt, auto x) { is_root ? call(rt, x) : otherwise(rt, x); };
  };
  std::vector<int> part(4);
  compare_in_place("allreduce", 6,
                   [&](runtime& rt, auto x) { rt.allreduce("all", inout(x), sum{}, with); });
  compare_in_place("scan", 6, [&](runtime& rt, auto x) { rt.scan("all", inout(x), sum{}, with); });
  compare_in_place("exscan", 6,
                   [&](runtime& rt, auto x) { rt.exscan("all", inout(x), sum{}, with); });
  compare_in_place("allgather", 4 * ranks,
                   [&](runtime& rt, auto x) { rt.allgather("all", inout(x), with); });
  compare_in_place("alltoall", 2 * ranks,
                   [&](runtime& rt, auto x) { rt.alltoall("all", inout(x), with); });
  compare_in_place("reduce_scatter_block", 4 * ranks, [&](runtime& rt, auto x) {
    rt.reduce_scatter_block("all", inout(x), sum{}, with);
  });
  compare_in_place(
      "reduce", 6,
      of_root([&](runtime& rt, auto x) { rt.reduce("all", inout(x), root, sum{}, with); },
              [&](runtime& rt, auto x) {
                rt.reduce("all", in(x), out(std::span(part)), root, sum{}, with);
              }));
  compare_in_place("gather", 4 * ranks,
                   of_root([&](runtime& rt, auto x) { rt.gather("all", inout(x), root, with); },
                           [&](runtime& rt, auto x) {
                             rt.gather("all", in(std::span(part)), out(x), root, with);
                           }));
  compare_in_place("scatter", 4 * ranks,
                   of_root([&](runtime& rt, auto x) { rt.scatter("all", in(x), root, with); },
                           [&](runtime& rt, auto x) {
                             rt.scatter("all", in(x), out(std::span(part)), root, with);
                           }));
}

TEST(box_collectives_that_do_not_fit, are_refused_before_anything_is_packed) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  board x({3, 4});
  const std::vector<int> unchanged = x.data;
  const auto left = x.u[box<2>({0, 0}, {2, 4})];
  const auto right = x.u[box<2>({1, 0}, {3, 4})];
  const auto third = x.u[box<2>({2, 0}, {3, 4})];
  const auto text_of = [&](const auto& call) {
    try {
      call();
    } catch (const usage_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(text_of([&] { rt.allreduce("sum", in(left), out(right)); }),
            "allreduce 'sum': in(x) and out(y) share bytes; in place is the form with one buffer");
  EXPECT_EQ(text_of([&] { rt.allreduce("sum", in(left), out(third)); }),
            "allreduce 'sum': the receive buffer has 4 elements and needs 8");
  EXPECT_NE(text_of([&] { rt.bcast("panel", inout(left), env.size()); }), "");
  rt.wait();
  EXPECT_EQ(x.data, unchanged);
  // Halves of the same rows share no cell.
  const auto first = x.u[box<2>({0, 0}, {1, 4})];
  for_each_cell(x.cells, [&](const point<2>& cell) { x.u[cell] = env.rank() + 1; });
  rt.allreduce("sum", in(first), out(third));
  rt.wait();
  EXPECT_EQ(x.u(2, 3), env.size() * (env.size() + 1) / 2);
  EXPECT_EQ(x.u(1, 3), env.rank() + 1);
}

}  // namespace
}  // namespace plait::test
