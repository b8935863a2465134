// SPDX-License-Identifier: BSD-3-Clause
/// Sorts as libstdc++'s std::sort does, equal elements in the same order: LogGOPSim's results
/// depend on it.  The algorithm is kept here since the library's may change.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <utility>

namespace plait::simulate {

namespace unstable {

constexpr std::ptrdiff_t threshold = 16;  ///< up to so many it is an insertion sort, and stable

template <class Iterator, class Less>
void unguarded_insert(Iterator last, Less less) {
  auto value = std::move(*last);
  Iterator next = std::prev(last);
  for (; less(value, *next); --next) {
    *last = std::move(*next);
    last = next;
  }
  *last = std::move(value);
}

template <class Iterator, class Less>
void insertion_sort(Iterator first, Iterator last, Less less) {
  if (first == last) return;
  for (Iterator i = std::next(first); i != last; ++i) {
    if (less(*i, *first)) {
      auto value = std::move(*i);
      std::move_backward(first, i, std::next(i));
      *first = std::move(value);
    } else {
      unguarded_insert(i, less);
    }
  }
}

/// Moves the median of *a, *b and *c to *result.
template <class Iterator, class Less>
void move_median(Iterator result, Iterator a, Iterator b, Iterator c, Less less) {
  const bool rising = less(*a, *b);
  const Iterator small = rising ? a : b;
  const Iterator large = rising ? b : a;
  std::iter_swap(result, less(*large, *c) ? large : less(*small, *c) ? c : small);
}

template <class Iterator, class Less>
[[nodiscard]] Iterator partition(Iterator first, Iterator last, Less less) {
  move_median(first, std::next(first), first + (last - first) / 2, std::prev(last), less);
  const Iterator pivot = first;
  for (++first;; ++first) {
    while (less(*first, *pivot)) ++first;
    for (--last; less(*pivot, *last);) --last;
    if (!(first < last)) return first;
    std::iter_swap(first, last);
  }
}

template <class Iterator, class Less>
void loop(Iterator first, Iterator last, int depth, Less less) {
  while (last - first > threshold) {
    if (depth-- == 0) {
      std::make_heap(first, last, less);
      return std::sort_heap(first, last, less);
    }
    const Iterator cut = unstable::partition(first, last, less);
    loop(cut, last, depth, less);
    last = cut;
  }
}

}  // namespace unstable

template <class Iterator, class Less>
void unstable_sort(Iterator first, Iterator last, Less less) {
  const auto size = last - first;
  if (size < 2) return;
  unstable::loop(first, last,
                 2 * (static_cast<int>(std::bit_width(static_cast<std::size_t>(size))) - 1), less);
  if (size <= unstable::threshold) return unstable::insertion_sort(first, last, less);
  unstable::insertion_sort(first, first + unstable::threshold, less);
  for (Iterator i = first + unstable::threshold; i != last; ++i)
    unstable::unguarded_insert(i, less);
}

}  // namespace plait::simulate
