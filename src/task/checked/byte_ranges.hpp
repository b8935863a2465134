// SPDX-License-Identifier: BSD-3-Clause
/// Sets of bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <plait/task/access.hpp>

namespace plait::detail {

/// Sorted, disjoint, and none empty.
using range_list = std::vector<byte_range>;

/// Sorts, and joins what overlaps or adjoins.
[[nodiscard]] inline range_list joined(range_list ranges) {
  std::erase_if(ranges, [](const byte_range& r) { return r.begin >= r.end; });
  std::sort(ranges.begin(), ranges.end(),
            [](const byte_range& a, const byte_range& b) { return a.begin < b.begin; });
  range_list result;
  for (const byte_range& r : ranges) {
    if (!result.empty() && r.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, r.end);
    } else {
      result.push_back(r);
    }
  }
  return result;
}

/// `from` without `what`.
[[nodiscard]] inline range_list without(const range_list& from, const range_list& what) {
  range_list result;
  auto w = what.begin();
  for (const byte_range& r : from) {
    std::uintptr_t begin = r.begin;
    while (w != what.end() && w->end <= begin) ++w;
    for (auto hole = w; hole != what.end() && hole->begin < r.end; ++hole) {
      if (begin < hole->begin) result.push_back({begin, hole->begin});
      begin = std::max(begin, hole->end);
    }
    if (begin < r.end) result.push_back({begin, r.end});
  }
  return result;
}

/// A set that grows.
class byte_ranges {
 public:
  /// Returns whether there was something new.
  bool insert(byte_range bytes) {
    auto next = ends_.upper_bound(bytes.begin);  // begins behind
    if (next != ends_.begin()) {
      const auto before = std::prev(next);
      if (before->second >= bytes.end) return false;
      if (before->second >= bytes.begin) {
        bytes.begin = before->first;
        next = before;
      }
    }
    while (next != ends_.end() && next->first <= bytes.end) {
      bytes.end = std::max(bytes.end, next->second);
      next = ends_.erase(next);
    }
    ends_.emplace_hint(next, bytes.begin, bytes.end);
    return true;
  }
  void clear() { ends_.clear(); }
  [[nodiscard]] range_list list() const {
    range_list result;
    for (const auto& [begin, end] : ends_) result.push_back({begin, end});
    return result;
  }

 private:
  std::map<std::uintptr_t, std::uintptr_t> ends_;  ///< by begin
};

}  // namespace plait::detail
