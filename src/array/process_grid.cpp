// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include <plait/array/process_grid.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

std::string joined(const std::array<int, 3>& dims) {
  return std::to_string(dims[0]) + "x" + std::to_string(dims[1]) + "x" + std::to_string(dims[2]);
}

// `count` factors of `number`, largest first, none above `limit`: those whose largest is smallest,
// then the next.  Empty if there are none.
std::vector<int> balanced_factors(int number, int count, int limit) {
  if (count == 0) return {};
  if (count == 1) return number <= limit ? std::vector<int>{number} : std::vector<int>{};
  for (int first = 1; first <= std::min(number, limit); ++first) {
    if (number % first != 0) continue;
    std::vector<int> rest = balanced_factors(number / first, count - 1, first);
    if (rest.empty()) continue;
    rest.insert(rest.begin(), first);
    return rest;
  }
  return {};
}

}  // namespace

process_grid process_grid::choose(int ranks, std::array<int, 3> wanted) {
  PLAIT_EXPECTS(ranks >= 1, std::to_string(ranks));
  int fixed = 1;
  int open = 0;
  for (const int dim : wanted) {
    if (dim < 0)
      throw usage_error("process grid " + joined(wanted) +
                        " has a negative dimension; use 0 to let it be chosen");
    if (dim == 0) {
      ++open;
    } else if (ranks % dim != 0 || ranks % (fixed * dim) != 0) {
      throw usage_error("process grid " + joined(wanted) + " does not fit " +
                        std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"));
    } else {
      fixed *= dim;
    }
  }
  if (open == 0 && fixed != ranks)
    throw usage_error("process grid " + joined(wanted) + " has " + std::to_string(fixed) +
                      " processes; there are " + std::to_string(ranks) +
                      (ranks == 1 ? " rank" : " ranks"));
  const std::vector<int> factors = balanced_factors(ranks / fixed, open, ranks);
  auto next = factors.begin();
  for (auto dim = wanted.rbegin(); dim != wanted.rend(); ++dim) {
    if (*dim == 0) *dim = *next++;
  }
  return process_grid(wanted);
}

process_grid::process_grid(std::array<int, 3> dims) : dims_(dims) {
  PLAIT_EXPECTS(dims[0] >= 1 && dims[1] >= 1 && dims[2] >= 1, joined(dims));
}

std::array<int, 3> process_grid::coordinates(int rank) const {
  PLAIT_EXPECTS(rank >= 0 && rank < size(), std::to_string(rank));
  return {rank % dims_[0], rank / dims_[0] % dims_[1], rank / (dims_[0] * dims_[1])};
}

int process_grid::rank_at(const std::array<int, 3>& at) const {
  PLAIT_EXPECTS(
      std::ranges::all_of(
          all_axes, [&](axis a) { return at[index_of(a)] >= 0 && at[index_of(a)] < extent(a); }),
      joined(at) + " in " + joined(dims_));
  return at[0] + dims_[0] * (at[1] + dims_[1] * at[2]);
}

int process_grid::neighbour(int rank, axis a, side s) const {
  std::array<int, 3> at = coordinates(rank);
  at[index_of(a)] += s == side::low ? -1 : 1;
  if (at[index_of(a)] < 0 || at[index_of(a)] >= extent(a)) return no_rank;
  return rank_at(at);
}

std::string to_string(const process_grid& grid) {
  return joined(grid.dims());
}

}  // namespace plait
