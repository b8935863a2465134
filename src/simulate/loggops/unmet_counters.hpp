// SPDX-License-Identifier: BSD-3-Clause
/// Counters of unmet dependences of every operation of every rank: a byte each where that is
/// enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "unrolled_program.hpp"

namespace plait::simulate {

class unmet_counters {
 public:
  explicit unmet_counters(const unrolled_program& what) {
    const std::uint32_t ranks = what.ranks();
    begin_.reserve(ranks);
    std::size_t all = 0;
    bool fits = true;
    const std::vector<std::uint32_t>* last = nullptr;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      begin_.push_back(all);
      const std::vector<std::uint32_t>& those = what.unmet_of_rank(rank);
      all += those.size();
      if (&those == last) continue;
      last = &those;
      fits = fits && std::ranges::all_of(those, [](std::uint32_t count) {
               return count <= std::numeric_limits<std::uint8_t>::max();
             });
    }
    fits ? bytes_.reserve(all) : words_.reserve(all);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (const std::uint32_t count : what.unmet_of_rank(rank)) {
        if (fits) {
          bytes_.push_back(static_cast<std::uint8_t>(count));
        } else {
          words_.push_back(count);
        }
      }
    }
  }

  /// Counts one less and returns whether none is left.  One that has none stays so: in LogGOPSim it
  /// would wrap, and not come to 0 again.
  [[nodiscard]] bool met(std::uint32_t rank, std::uint32_t number) {
    const std::size_t at = begin_[rank] + number;
    if (words_.empty()) return bytes_[at] > 0 && --bytes_[at] == 0;
    return words_[at] > 0 && --words_[at] == 0;
  }

  [[nodiscard]] std::uint32_t of(std::uint32_t rank, std::uint32_t number) const {
    const std::size_t at = begin_[rank] + number;
    return words_.empty() ? bytes_[at] : words_[at];
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> words_;
};

}  // namespace plait::simulate
