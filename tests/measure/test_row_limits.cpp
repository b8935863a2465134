// SPDX-License-Identifier: BSD-3-Clause
// Benchmarks: the limits that follow from what was measured alone.
#include <vector>

#include <gtest/gtest.h>

#include "measure/rows/row_limits.hpp"

namespace plait::measure {
namespace {

json cell(const std::vector<double>& computation, const std::vector<double>& communication) {
  return {{"computation_us", {{"median", computation.front()}, {"samples", computation}}},
          {"communication_us", {{"median", communication.front()}, {"samples", communication}}}};
}

std::vector<double> totals(const json& rows, const char* row) {
  return rows.at(row).at("a column").at("total_us").at("samples").get<std::vector<double>>();
}

using doubles = std::vector<double>;

TEST(limits, the_bound_is_the_larger_of_both_each_time) {
  json rows{{alone_row, {{"a column", cell({5, 1, 3}, {2, 4, 3})}}}};
  add_limits(rows);
  EXPECT_EQ(totals(rows, "bound"), (doubles{5, 4, 3}));
  EXPECT_FALSE(rows.contains("attainable")) << "the transport was not measured";
}

TEST(limits, bounds_have_the_remarks_of_their_cells) {
  json rows{{alone_row, {{"a column", cell({5, 1, 3}, {2, 4, 3})}}}};
  rows[alone_row]["a column"]["pieces"] = 7;
  add_limits(rows);
  EXPECT_EQ(rows["bound"]["a column"]["pieces"], 7);
  EXPECT_FALSE(rows["bound"]["a column"].contains("computation_us"));
}

TEST(limits, attainable_has_the_transport_of_the_same_time) {
  json rows{{alone_row, {{"a column", cell({5, 1, 3}, {2, 4, 3})}}}};
  rows[alone_row]["a column"]["transport_cpu_us"] = {{"median", 1}, {"samples", {1, 2, 0.5}}};
  add_limits(rows);
  EXPECT_EQ(totals(rows, "attainable"), (doubles{6, 4, 3.5}));
}

TEST(limits, attainable_has_the_median_of_the_transport_where_it_was_not_measured_each_time) {
  json rows{{alone_row, {{"a column", cell({5, 1, 3}, {2, 4, 3})}}}};
  rows[alone_row]["a column"]["transport_cpu_us"] = {{"median", 1.5}, {"samples", {1, 2}}};
  add_limits(rows);
  EXPECT_EQ(totals(rows, "attainable"), (doubles{6.5, 4, 4.5}));
}

TEST(limits, the_wire_stands_for_the_communication) {
  json rows{{alone_row, {{"a column", cell({5, 1, 3}, {9, 9, 9})}}}};
  rows[alone_row]["a column"]["transport_cpu_us"] = {{"median", 1}, {"samples", {1, 2, 0.5}}};
  rows[alone_row]["a column"]["wire_us"] = 4;
  add_limits(rows);
  EXPECT_EQ(totals(rows, "bound"), (doubles{5, 4, 4}));
  EXPECT_EQ(totals(rows, "attainable"), (doubles{6, 4, 4}));
}

}  // namespace
}  // namespace plait::measure
