// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/array/process_grid.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

template <std::size_t D>
std::string joined(const std::array<int, D>& dims) {
  std::string result = std::to_string(dims[0]);
  for (std::size_t a = 1; a < D; ++a) {
    result += 'x';
    result += std::to_string(dims[a]);
  }
  return result;
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

template <int D>
process_grid<D> process_grid<D>::choose(int ranks, dimensions wanted) {
  PLAIT_EXPECTS(ranks >= 1, std::to_string(ranks));
  std::int64_t fixed = 1;  // with one more dimension, before that is known to fit
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
  const std::vector<int> factors = balanced_factors(ranks / static_cast<int>(fixed), open, ranks);
  auto next = factors.begin();
  for (auto dim = wanted.rbegin(); dim != wanted.rend(); ++dim) {
    if (*dim == 0) *dim = *next++;
  }
  return process_grid(wanted);
}

template <int D>
process_grid<D>::process_grid(dimensions dims) : dims_(dims) {
  PLAIT_EXPECTS(std::ranges::all_of(dims, [](int dim) { return dim >= 1; }), joined(dims));
  std::int64_t ranks = 1;
  for (const int dim : dims) {
    ranks *= dim;
    PLAIT_EXPECTS(ranks <= INT_MAX, joined(dims));
  }
}

template <int D>
int process_grid<D>::size() const noexcept {
  int result = 1;
  for (const int dim : dims_) result *= dim;
  return result;
}

template <int D>
auto process_grid<D>::coordinates(int rank) const -> dimensions {
  PLAIT_EXPECTS(rank >= 0 && rank < size(), std::to_string(rank));
  dimensions at{};
  for (std::size_t a = 0; a < D; ++a) {
    at[a] = rank % dims_[a];
    rank /= dims_[a];
  }
  return at;
}

template <int D>
int process_grid<D>::rank_at(const dimensions& at) const {
  PLAIT_EXPECTS(std::ranges::all_of(axes<D>,
                                    [&](axis a) {
                                      const int i = at[static_cast<std::size_t>(index_of(a))];
                                      return i >= 0 && i < extent(a);
                                    }),
                joined(at) + " in " + joined(dims_));
  int rank = 0;
  for (std::size_t a = D; a-- > 0;) rank = rank * dims_[a] + at[a];
  return rank;
}

template <int D>
int process_grid<D>::neighbour(int rank, axis a, side s) const {
  dimensions at = coordinates(rank);
  int& along = at[static_cast<std::size_t>(index_of(a))];
  along += s == side::low ? -1 : 1;
  if (along < 0 || along >= extent(a)) return no_rank;
  return rank_at(at);
}

template <int D>
std::string to_string(const process_grid<D>& grid) {
  return joined(grid.dims());
}

#define PLAIT_PROCESS_GRID(D)     \
  template class process_grid<D>; \
  template std::string to_string(const process_grid<D>&);
PLAIT_PROCESS_GRID(1)
PLAIT_PROCESS_GRID(2)
PLAIT_PROCESS_GRID(3)
PLAIT_PROCESS_GRID(4)

}  // namespace plait
