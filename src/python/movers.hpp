// SPDX-License-Identifier: BSD-3-Clause
/// Arrays with ghosts, and moves of their cells.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "python/runtime.hpp"

namespace plait_python {

/// This rank's block of an array that is divided among ranks.
class array_block {
 public:
  using numbers = std::vector<std::int64_t>;
  /// `array`: the block with its ghosts; of size 0 if the rank has no cells.  A number for each of
  /// its axes: the place of its first own cell, the cells of the whole array, layers of ghosts, and
  /// not 0 where the whole array is periodic.  Errors: those of `array_view`; ValueError for
  /// another number of axes.
  array_block(nb::object array, const numbers& first, const numbers& cells, const numbers& ghosts,
              const numbers& periodic, bool writes);

  /// Returns the description for a call of plait's, valid as long as this.
  [[nodiscard]] plait_array described() const noexcept;
  [[nodiscard]] const nb::object& array() const noexcept { return array_; }

 private:
  nb::object array_;
  plait_array whole_ = PLAIT_ARRAY_INIT;
  plait_array_block block_{};
};

/// Plans to fill ghosts.  Collective.  `boundary`: enum plait_boundary; `value`: the bytes of an
/// element.
[[nodiscard]] std::shared_ptr<moving> plan_ghosts(runtime& rt, const array_block& of, bool corners,
                                                  int boundary, const nb::bytes& value,
                                                  const std::string& name);
/// Plans to bring all cells to where they are in another division.  Collective.
[[nodiscard]] std::shared_ptr<moving> plan_redistribution(runtime& rt, const array_block& from,
                                                          const array_block& to,
                                                          const std::string& name);
/// Takes the place of `plan_ghosts` or `plan_redistribution` on a rank that cannot describe its
/// array, so that the others do not wait for it: they are refused.  Collective.
void refuse_plan(runtime& rt);

}  // namespace plait_python
