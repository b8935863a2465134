// SPDX-License-Identifier: BSD-3-Clause
/// Moves of array cells for tests: every way to carry out a plan, and arrays whose cells know who
/// they are.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/block_array.hpp>
#include <plait/mover/array_moves.hpp>
#include <plait/mover/mover.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {

constexpr double untouched = -1;

/// A number that no other cell and no other step has.
template <int D>
[[nodiscard]] double value_of(const box<D>& domain, const point<D>& cell, int step) {
  std::int64_t index = 0;
  for (std::size_t a = D; a-- > 0;) {
    index = index * domain.extent(static_cast<axis>(a)) + cell.along[a] - domain.low.along[a];
  }
  return static_cast<double>(100 * index + step + 1);
}

/// Own cells become what they are in this step, ghosts become `untouched`.
template <int D>
void fill(const view<double, D>& block, const box<D>& own, const box<D>& domain, int step) {
  for_each_cell(block.cells(), [&](const point<D>& cell) {
    block[cell] = own.contains(cell) ? value_of(domain, cell, step) : untouched;
  });
}

template <int D>
using expectation = std::function<double(int block, const point<D>& cell, int step)>;

/// Complains about the first cell that is not as expected.
template <int D>
void expect_cells(const std::string& what, int rank, int id, const view<const double, D>& block,
                  int step, const expectation<D>& expected) {
  bool right = true;
  for_each_cell(block.cells(), [&](const point<D>& cell) {
    if (!right) return;
    const double want = expected(id, cell, step);
    right = block[cell] == want;
    EXPECT_EQ(block[cell], want) << what << ": rank " << rank << ", block " << id << " ("
                                 << to_string(block.cells()) << " with ghosts), cell "
                                 << to_string(cell) << ", step " << step;
  });
}

enum class drive : std::uint8_t { start_and_wait, xtra, tasks, replay };
inline constexpr drive all_drives[] = {drive::start_and_wait, drive::xtra, drive::tasks,
                                       drive::replay};

/// Ways to drive moves, with the runtime and the engines that they need, which are made once a
/// test.
struct drivers {
  environment& env = test_environment();
  engine olap{env, {.policy = progress::none}};
  engine xtra{env, {.policy = progress::sleeping, .worst_delay_s = 1e-4}};
  runtime rt{env, {.tasks = {.workers = 2}}};
};

/// Fills `from`, moves it as `make` plans and checks `to` (perhaps the same), three times.
template <int D>
void run_moves(drivers& d, drive how, block_array<double, D>& from, block_array<double, D>& to,
               const std::string& what, const std::function<move_plan()>& make,
               const expectation<D>& expected) {
  constexpr int steps = 3;
  const int rank = d.env.rank();
  const box<D> domain = from.blocks().global();
  const bool same = &from == &to;
  if (how == drive::start_and_wait || how == drive::xtra) {
    mover move{make(), how == drive::xtra ? d.xtra : d.olap};
    for (int step = 0; step < steps; ++step) {
      for (const int id : from.local_blocks())
        fill<D>(from.block(id), from.blocks().block(id), domain, step);
      if (!same)
        for (const int id : to.local_blocks()) fill<D>(to.block(id), {}, domain, step);
      if (step == 1) {
        move.run();
      } else {
        move.start();
        while (step == 2 && !move.test()) {
        }
        move.wait();
      }
      for (const int id : to.local_blocks())
        expect_cells<D>(what, rank, id, to.block(id), step, expected);
    }
    return;
  }

  std::vector<int> filled(from.local_blocks().size());  // which step comes next, by block
  std::vector<int> checked(to.local_blocks().size());
  std::optional<move_plan> plan;
  if (how == drive::replay) plan.emplace(make());
  const auto submit = [&] {
    for (std::size_t b = 0; b < filled.size(); ++b) {
      const int id = from.local_blocks()[b];
      d.rt.task(
          "fill",
          [](const view<double, D>& block, int& step, const box<D>& own, const box<D>& all) {
            fill<D>(block, own, all, step++);
          },
          out(from.block(id)), inout(filled[b]), from.blocks().block(id), domain);
    }
    if (!same) {
      for (const int id : to.local_blocks()) {
        d.rt.task(
            "clear",
            [](const view<double, D>& block, const box<D>& all) { fill<D>(block, {}, all, 0); },
            out(to.block(id)), domain);
      }
    }
    d.rt.move(how == drive::replay ? *plan : make());
    for (std::size_t b = 0; b < checked.size(); ++b) {
      const int id = to.local_blocks()[b];
      d.rt.task(
          "check",
          [what, rank, &expected](const view<const double, D>& block, int& step, int number) {
            expect_cells<D>(what, rank, number, block, step++, expected);
          },
          in(to.block(id)), inout(checked[b]), id);
    }
  };
  if (how == drive::replay) {
    graph round = d.rt.record(submit);
    d.rt.replay(round, steps).wait();
  } else {
    for (int step = 0; step < steps; ++step) submit();
  }
  d.rt.wait();
  for (const int count : checked) EXPECT_EQ(count, steps) << what;
}

}  // namespace plait::test
