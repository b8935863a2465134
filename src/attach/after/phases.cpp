// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/phases.hpp"

#include <algorithm>
#include <numeric>

namespace plait::attach {

std::vector<double> parts_to_hide(std::span<const wait_in_phase> waits, ticks computed_in_all) {
  std::vector<double> gaps;  // computation before each wait, and after the last
  ticks before = 0;
  for (const wait_in_phase& one : waits) {
    gaps.push_back(static_cast<double>(std::max<ticks>(0, one.computed_before - before)));
    before = std::max(before, one.computed_before);
  }
  gaps.push_back(static_cast<double>(std::max<ticks>(0, computed_in_all - before)));
  // The set-up of a program is one long gap, and says nothing of its steps.
  std::vector<double> usual = gaps;
  const auto rare = static_cast<std::ptrdiff_t>(gaps.size() / 50);
  std::ranges::nth_element(usual, usual.end() - rare);
  usual.erase(usual.end() - rare, usual.end());
  const double sum = std::accumulate(usual.begin(), usual.end(), 0.0);
  const double squares = std::inner_product(usual.begin(), usual.end(), usual.begin(), 0.0);
  constexpr double most = 0.9;
  const double long_gap = sum > 0 ? most * squares / sum : 1;

  std::vector<double> parts(waits.size());
  std::vector<double> left = gaps;  // what hides nothing yet
  const auto hide = [&](std::size_t gap, double waited) {
    const double hidden = std::min(waited, left[gap]);
    left[gap] -= hidden;
    return hidden;
  };
  for (std::size_t begin = 0; begin < waits.size();) {
    double waited = 0;
    std::size_t end = begin;
    do {
      waited += static_cast<double>(waits[end].waited);
      ++end;
    } while (end < waits.size() && gaps[end] < long_gap);
    double hidden = 0;
    for (std::size_t gap = begin; gap <= end; ++gap) hidden += hide(gap, waited - hidden);
    const double part = waited > 0 ? hidden / waited : 0;
    std::fill(parts.begin() + static_cast<std::ptrdiff_t>(begin),
              parts.begin() + static_cast<std::ptrdiff_t>(end), part);
    begin = end;
  }
  return parts;
}

}  // namespace plait::attach
