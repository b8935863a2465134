// SPDX-License-Identifier: BSD-3-Clause
#include "task/graphs/implied_edges.hpp"

#include <cstdint>

namespace plait::detail {
namespace {

/// Table of the nodes of two iterations that each of them reaches.
class reach_table {
 public:
  explicit reach_table(std::size_t nodes)
      : words_((nodes + 63) / 64), bits_(nodes * words_, std::uint64_t{0}) {}

  [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const noexcept {
    return (bits_[from * words_ + to / 64] >> (to % 64) & 1U) != 0;
  }
  /// `from` reaches `to`, and all that `to` reaches.
  void add(std::size_t from, std::size_t to) noexcept {
    bits_[from * words_ + to / 64] |= std::uint64_t{1} << (to % 64);
    for (std::size_t w = to / 64; w < words_; ++w)
      bits_[from * words_ + w] |= bits_[to * words_ + w];
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

void drop_implied_edges(successor_lists& successors, const std::vector<bool>& stays) {
  const std::size_t count = successors.size();
  if (count > most_nodes_to_reduce) return;
  reach_table table(2 * count);
  for (std::size_t i = count; i-- > 0;) {  // the second iteration: what follows it is beyond
    for (const std::size_t s : successors[i])
      if (s < count) table.add(count + i, count + s);
  }
  for (std::size_t i = count; i-- > 0;) {
    // Ascending: whatever a way to s begins with comes before s.
    std::erase_if(successors[i], [&](std::size_t s) {
      const bool implied = table.reaches(i, s);
      if (!implied) table.add(i, s);
      return implied && !stays[i];
    });
  }
}

}  // namespace plait::detail
