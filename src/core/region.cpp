// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <span>
#include <vector>

#include <plait/core/region.hpp>

namespace plait {
namespace {

// Appends a - b.  Cut across the slowest axis first, so that rows stay whole as long as possible.
template <int D, space S>
void append_difference(box<D, S> a, const box<D, S>& b, std::vector<box<D, S>>& pieces) {
  const box<D, S> common = intersect(a, b);
  if (common.empty()) {
    if (!a.empty()) pieces.push_back(a);
    return;
  }
  for (auto along = axes<D>.rbegin(); along != axes<D>.rend(); ++along) {
    box<D, S> below = a;
    box<D, S> above = a;
    below.high[*along] = a.low[*along] = common.low[*along];
    above.low[*along] = a.high[*along] = common.high[*along];
    if (!below.empty()) pieces.push_back(below);
    if (!above.empty()) pieces.push_back(above);
  }
}

// Those cells of `boxes` that are not in `b`.
template <int D, space S>
std::vector<box<D, S>> without(const std::vector<box<D, S>>& boxes, const box<D, S>& b) {
  std::vector<box<D, S>> result;
  result.reserve(boxes.size());
  for (const box<D, S>& a : boxes) append_difference(a, b, result);
  return result;
}

}  // namespace

template <int D, space S>
region<D, S>::region(std::span<const box_type> boxes) {
  for (const box_type& b : boxes) {
    if (b.empty()) continue;
    std::vector<box_type> fresh{b};
    for (const box_type& known : boxes_) {
      if (overlap(known, b)) fresh = without(fresh, known);
      if (fresh.empty()) break;
    }
    boxes_.insert(boxes_.end(), fresh.begin(), fresh.end());
  }
  join_neighbours();
}

template <int D, space S>
std::int64_t region<D, S>::size() const noexcept {
  std::int64_t result = 0;
  for (const box_type& b : boxes_) result += b.size();
  return result;
}

template <int D, space S>
bool region<D, S>::contains(const point<D, S>& p) const noexcept {
  return std::ranges::any_of(boxes_, [&](const box_type& b) { return b.contains(p); });
}

template <int D, space S>
box<D, S> region<D, S>::bounds() const noexcept {
  box_type result;
  for (const box_type& b : boxes_) result = plait::bounds(result, b);
  return result;
}

template <int D, space S>
bool region<D, S>::equals(const region& other) const {
  return size() == other.size() && subtract(*this, other).empty();
}

// Joins boxes that differ along one axis only and touch there, until there are none; without it the
// number of boxes would grow with every operation.
template <int D, space S>
void region<D, S>::join_neighbours() {
  bool joined = boxes_.size() > 1;
  while (joined) {
    joined = false;
    for (const axis along : axes<D>) {
      const auto across = [&](const box_type& a, const box_type& b) {
        for (const axis other : axes<D>) {
          if (other == along) continue;
          if (a.low[other] != b.low[other]) return a.low[other] < b.low[other] ? -1 : 1;
          if (a.high[other] != b.high[other]) return a.high[other] < b.high[other] ? -1 : 1;
        }
        return 0;
      };
      std::ranges::sort(boxes_, [&](const box_type& a, const box_type& b) {
        const int order = across(a, b);
        return order != 0 ? order < 0 : a.low[along] < b.low[along];
      });
      std::size_t last = 0;
      for (std::size_t i = 1; i < boxes_.size(); ++i) {
        if (across(boxes_[last], boxes_[i]) == 0 &&
            boxes_[last].high[along] == boxes_[i].low[along])
          boxes_[last].high[along] = boxes_[i].high[along];
        else
          boxes_[++last] = boxes_[i];
      }
      joined = joined || last + 1 < boxes_.size();
      boxes_.resize(last + 1);
    }
  }
}

template <int D, space S>
region<D, S> intersect(const region<D, S>& a, const region<D, S>& b) {
  region<D, S> result;
  for (const box<D, S>& left : a.boxes_)
    for (const box<D, S>& right : b.boxes_) {
      const box<D, S> common = intersect(left, right);
      if (!common.empty()) result.boxes_.push_back(common);
    }
  result.join_neighbours();
  return result;
}

template <int D, space S>
region<D, S> subtract(const region<D, S>& a, const region<D, S>& b) {
  region<D, S> result(a);
  for (const box<D, S>& hole : b.boxes_) {
    if (result.empty()) break;
    result.boxes_ = without(result.boxes_, hole);
  }
  result.join_neighbours();
  return result;
}

template <int D, space S>
region<D, S> unite(const region<D, S>& a, const region<D, S>& b) {
  region<D, S> result = subtract(b, a);
  result.boxes_.insert(result.boxes_.end(), a.boxes_.begin(), a.boxes_.end());
  result.join_neighbours();
  return result;
}

template <int D, space S>
region<D, S> shift(const region<D, S>& r, const extents<D>& distance) {
  region<D, S> result(r);
  for (box<D, S>& b : result.boxes_) b = shift(b, distance);
  return result;
}

template <int D, space S>
region<D, S> grow(const region<D, S>& r, const extents<D>& low, const extents<D>& high) {
  std::vector<box<D, S>> grown;
  for (const box<D, S>& b : r.boxes()) grown.push_back(grow(b, low, high));
  return region<D, S>(std::span<const box<D, S>>(grown));
}

// What leaves r when moved downwards by `low` lies at most `low` above the complement of r.
template <int D, space S>
region<D, S> shrink(const region<D, S>& r, const extents<D>& low, const extents<D>& high) {
  const box<D, S> around = grow(r.bounds(), low, high);
  return subtract(r, grow(complement(r, around), high, low));
}

#define PLAIT_REGION(D, S)                                                               \
  template class region<D, S>;                                                           \
  template region<D, S> intersect(const region<D, S>&, const region<D, S>&);             \
  template region<D, S> unite(const region<D, S>&, const region<D, S>&);                 \
  template region<D, S> subtract(const region<D, S>&, const region<D, S>&);              \
  template region<D, S> shift(const region<D, S>&, const extents<D>&);                   \
  template region<D, S> grow(const region<D, S>&, const extents<D>&, const extents<D>&); \
  template region<D, S> shrink(const region<D, S>&, const extents<D>&, const extents<D>&);
#define PLAIT_REGIONS(D)         \
  PLAIT_REGION(D, space::global) \
  PLAIT_REGION(D, space::local)
PLAIT_REGIONS(1)
PLAIT_REGIONS(2)
PLAIT_REGIONS(3)
PLAIT_REGIONS(4)

}  // namespace plait
