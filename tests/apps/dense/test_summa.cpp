// SPDX-License-Identifier: BSD-3-Clause
// Every variant of SUMMA on every grid of these ranks: whole numbers bit for bit, random ones
// within the bound, at the corners of sizes.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "support/mpi_test.hpp"
#include "variant.hpp"

namespace summa {
namespace {

using plait::test::test_environment;

constexpr form all_forms[] = {form::stationary_c, form::stationary_a, form::stationary_b};

std::vector<grid_shape> grids() {
  std::vector<grid_shape> all;
  const int ranks = test_environment().size();
  for (int rows = 1; rows <= ranks; ++rows)
    if (ranks % rows == 0) all.push_back({rows, ranks / rows});
  return all;
}

std::string describe(const product& what, const arrangement& where, std::string_view name) {
  return fmt::format("{} of {}x{}x{} on {}x{}, stationary {}, block {}, transposed {}{}", name,
                     what.m, what.n, what.k, where.grid.rows, where.grid.columns,
                     form_names[static_cast<int>(where.stationary)], what.block,
                     static_cast<int>(what.of_a), static_cast<int>(what.of_b));
}

void expect_right(const product& what, form stationary, const mesh& grid,
                  const options& chosen = {.runtime = {.tasks = {.workers = 1}}}) {
  const arrangement where = arrange(what, stationary, {grid.rows(), grid.columns()});
  problem p(what, where, grid);
  for (const std::string_view name : variants_of(test_environment(), chosen).names()) {
    const auto code = variants_of(test_environment(), chosen)(name);
    p.reset(code->solves());
    code->prepare(p);
    code->run(p, 1, {});
    (void)code->finish(p);
    const verdict found = p.check_closed_form(code->solves(), 1);
    EXPECT_TRUE(found.verified) << describe(what, where, name) << ": " << found.complaint;
    if (name == "base") p.keep_as_reference();
    if (code->solves() != setting::distributed) continue;
    const verdict same = p.check_against_reference();
    EXPECT_TRUE(same.verified) << describe(what, where, name) << ": " << same.complaint;
  }
}

constexpr std::int64_t b = 5;
const std::vector<std::int64_t> corners{0, 1, b - 1, b, b + 1};

TEST(summa, is_right_where_m_is_at_a_corner) {
  for (const grid_shape shape : grids()) {
    const mesh grid(test_environment(), shape.rows, shape.columns);
    for (const std::int64_t m : corners)
      expect_right({.m = m, .n = 13, .k = 11, .block = b, .panel = b}, form::stationary_c, grid);
  }
}

TEST(summa, is_right_where_n_is_at_a_corner) {
  for (const grid_shape shape : grids()) {
    const mesh grid(test_environment(), shape.rows, shape.columns);
    for (const std::int64_t n : corners)
      expect_right({.m = 13, .n = n, .k = 11, .block = b, .panel = b}, form::stationary_a, grid);
  }
}

TEST(summa, is_right_where_k_is_at_a_corner) {
  for (const grid_shape shape : grids()) {
    const mesh grid(test_environment(), shape.rows, shape.columns);
    for (const std::int64_t k : corners) {
      expect_right({.m = 13, .n = 11, .k = k, .beta = 3, .block = b, .panel = b},
                   form::stationary_c, grid);
      expect_right({.m = 13, .n = 11, .k = k, .block = b, .panel = b}, form::stationary_b, grid);
    }
  }
}

TEST(summa, is_right_for_every_form_and_transposition) {
  for (const grid_shape shape : grids()) {
    const mesh grid(test_environment(), shape.rows, shape.columns);
    for (const form stationary : all_forms)
      for (const op of_a : {op::none, op::transposed})
        for (const op of_b : {op::none, op::transposed})
          expect_right({.m = 17,
                        .n = 14,
                        .k = 19,
                        .of_a = of_a,
                        .of_b = of_b,
                        .alpha = 2,
                        .beta = -1,
                        .block = 3,
                        .panel = 2},
                       stationary, grid);
  }
}

TEST(summa, is_right_with_one_block_a_process_and_few_rows) {
  for (const grid_shape shape : grids()) {
    const mesh grid(test_environment(), shape.rows, shape.columns);
    for (const form stationary : all_forms) {
      expect_right({.m = 29, .n = 23, .k = 31, .beta = 0.5, .panel = 4}, stationary, grid);
      expect_right({.m = 2, .n = 40, .k = 33, .panel = 8}, stationary, grid);
    }
  }
}

TEST(summa, is_right_with_random_numbers_for_any_policy_buffers_and_workers) {
  const grid_shape shape = grids()[grids().size() / 2];
  const mesh grid(test_environment(), shape.rows, shape.columns);
  const product what{.m = 40,
                     .n = 600,
                     .k = 35,
                     .alpha = 0.3,
                     .beta = -1.7,
                     .block = 4,
                     .panel = 4,
                     .kind = entries::random};
  for (const form stationary : all_forms) {
    expect_right(what, stationary, grid,
                 {.buffers = 1, .runtime = {.tasks = {.workers = 1, .in_flight = 1}}});
    expect_right(
        what, stationary, grid,
        {.buffers = 2,
         .runtime = {.engine = {.policy = plait::progress::sleeping}, .tasks = {.workers = 2}}});
    expect_right(
        what, stationary, grid,
        {.buffers = 7,
         .runtime = {.engine = {.policy = plait::progress::none}, .tasks = {.workers = 1}}});
  }
}

}  // namespace
}  // namespace summa
