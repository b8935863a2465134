// SPDX-License-Identifier: BSD-3-Clause
#include "dealing.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <metis.h>
#include <plait/plait.hpp>

namespace plait::sparse {
namespace {

/// Row r of n goes to the rank that has its share of them.
std::vector<std::int32_t> evenly(std::int64_t n, int ranks) {
  std::vector<std::int32_t> to(static_cast<std::size_t>(n));
  for (int rank = 0; rank < ranks; ++rank)
    for (std::int64_t row = n * rank / ranks; row < n * (rank + 1) / ranks; ++row)
      to[static_cast<std::size_t>(row)] = rank;
  return to;
}

std::vector<std::int32_t> by_nonzeros(const sparse_matrix& a, int ranks) {
  if (a.nonzeros() == 0) return evenly(a.rows, ranks);
  std::vector<std::int32_t> to(static_cast<std::size_t>(a.rows));
  const auto share = static_cast<double>(a.nonzeros()) / ranks;
  for (std::size_t row = 0; row < to.size(); ++row) {
    // The place of the row's middle among all nonzeros.
    const double middle = 0.5 * static_cast<double>(a.row_begin[row] + a.row_begin[row + 1]);
    to[row] = std::min(ranks - 1, static_cast<int>(middle / share));
  }
  return to;
}

/// Neighbours of each row, in either direction, without itself.
struct graph {
  std::vector<idx_t> begin;
  std::vector<idx_t> neighbour;
  std::vector<idx_t> weight;
};

graph graph_of(const sparse_matrix& a) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<std::vector<idx_t>> of(n);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (const std::int32_t column : a.columns_of(row)) {
      if (column == row) continue;
      of[static_cast<std::size_t>(row)].push_back(column);
      of[static_cast<std::size_t>(column)].push_back(static_cast<idx_t>(row));
    }
  graph g;
  g.begin.push_back(0);
  for (std::size_t row = 0; row < n; ++row) {
    std::ranges::sort(of[row]);
    of[row].erase(std::ranges::unique(of[row]).begin(), of[row].end());
    g.neighbour.insert(g.neighbour.end(), of[row].begin(), of[row].end());
    of[row] = {};
    g.begin.push_back(static_cast<idx_t>(g.neighbour.size()));
    g.weight.push_back(static_cast<idx_t>(a.nonzeros(static_cast<std::int64_t>(row)) + 1));
  }
  return g;
}

std::vector<std::int32_t> by_metis(const sparse_matrix& a, int ranks) {
  if (a.rows != a.columns)
    throw usage_error("--deal is metis; a matrix of " + std::to_string(a.rows) + " by " +
                      std::to_string(a.columns) + " has no graph: deal even or nonzeros");
  if (2 * a.nonzeros() > INT32_MAX)
    throw usage_error("--deal is metis; it can partition at most 2^30 nonzeros");
  if (ranks == 1 || a.rows < ranks) return evenly(a.rows, ranks);
  graph g = graph_of(a);
  if (g.neighbour.empty()) return by_nonzeros(a, ranks);
  auto n = static_cast<idx_t>(a.rows);
  idx_t constraints = 1;
  idx_t parts = ranks;
  idx_t cut = 0;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> to(static_cast<std::size_t>(n));
  const int code = METIS_PartGraphKway(&n, &constraints, g.begin.data(), g.neighbour.data(),
                                       g.weight.data(), nullptr, nullptr, &parts, nullptr, nullptr,
                                       options.data(), &cut, to.data());
  if (code != METIS_OK) throw error("METIS failed with code " + std::to_string(code));
  return {to.begin(), to.end()};
}

}  // namespace

dealing dealing_of(std::string_view name) {
  const auto found = std::ranges::find(dealing_names, name);
  PLAIT_EXPECTS(found != dealing_names.end(), std::string(name));
  return static_cast<dealing>(found - dealing_names.begin());
}

std::vector<std::int32_t> deal_rows(const sparse_matrix& a, dealing how, int ranks) {
  switch (how) {
    case dealing::even:
      return evenly(a.rows, ranks);
    case dealing::nonzeros:
      return by_nonzeros(a, ranks);
    case dealing::metis:
      return by_metis(a, ranks);
  }
  return {};
}

std::vector<std::int32_t> deal_columns(const sparse_matrix& a,
                                       const std::vector<std::int32_t>& row_ranks, int ranks) {
  return a.rows == a.columns ? row_ranks : evenly(a.columns, ranks);
}

burden burden_of(const sparse_matrix& a, const std::vector<std::int32_t>& row_ranks,
                 const std::vector<std::int32_t>& column_ranks, int ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  burden result{std::vector<std::int64_t>(p * p), std::vector<std::int64_t>(p),
                std::vector<std::int64_t>(p)};
  std::vector<std::int32_t> order(static_cast<std::size_t>(a.rows));
  std::iota(order.begin(), order.end(), 0);
  const auto rank_of = [&](std::int32_t row) { return row_ranks[static_cast<std::size_t>(row)]; };
  std::ranges::stable_sort(order, {}, rank_of);
  // The rank that named a column last: rows of a rank follow each other.
  std::vector<std::int32_t> last(static_cast<std::size_t>(a.columns), -1);
  for (const std::int32_t row : order) {
    const auto to = static_cast<std::size_t>(rank_of(row));
    ++result.rows[to];
    result.nonzeros[to] += a.nonzeros(row);
    for (const std::int32_t column : a.columns_of(row)) {
      const auto at = static_cast<std::size_t>(column);
      const auto from = static_cast<std::size_t>(column_ranks[at]);
      if (from == to || last[at] == rank_of(row)) continue;
      last[at] = rank_of(row);
      ++result.sent[from * p + to];
    }
  }
  return result;
}

}  // namespace plait::sparse
