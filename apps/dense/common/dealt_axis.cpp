// SPDX-License-Identifier: BSD-3-Clause
#include "common/dealt_axis.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace plait::dense {

std::int64_t dealt_axis::count_below(std::int64_t end, int place) const noexcept {
  const std::int64_t whole = end / block;  // blocks
  const std::int64_t last = whole % places;
  std::int64_t count = whole / places * block;
  if (place < last) count += block;
  if (place == last) count += end % block;
  return count;
}

std::int64_t dealt_axis::block_end(std::int64_t index) const noexcept {
  return std::min((index / block + 1) * block, size);
}

dealt_axis in_one_block_each(std::int64_t size, int places) {
  return {size, std::max<std::int64_t>(1, (size + places - 1) / places), places};
}

std::vector<std::vector<std::int64_t>> by_place(const dealt_axis& own, int place,
                                                const dealt_axis& others) {
  PLAIT_EXPECTS(own.size == others.size, fmt::format("{} and {}", own.size, others.size));
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(others.places));
  const std::int64_t count = own.count(place);
  for (std::int64_t local = 0; local < count; ++local)
    found[static_cast<std::size_t>(others.place_of(own.to_global(local, place)))].push_back(local);
  return found;
}

}  // namespace plait::dense
