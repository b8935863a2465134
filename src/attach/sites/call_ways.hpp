// SPDX-License-Identifier: BSD-3-Clause
/// The ways on which ranks reach their calls of MPI, and the sites that these are: which functions
/// are wrappers, and so what is one site, is known once the ways of all ranks are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attach/after/rank_profile.hpp"

namespace plait::attach {

/// Stands in a module's name between a file of Python and a function in it; the offset is the line.
inline constexpr char end_of_python_file = '\n';

/// A way to a call of MPI, by modules and offsets in them, the call's own place first.  Where
/// Python has called, its lines alone.
struct call_way {
  int call = -1;
  int rank = 0;    ///< the first that took it
  int number = 0;  ///< its site there
  bool communicates = false;
  std::uint64_t count = 0;  ///< calls of the ranks that communicate there
  std::vector<std::pair<std::string, std::uint64_t>> places;
};

/// By a hash of the call and the places.
using call_ways = std::map<std::uint64_t, call_way>;

/// Adds the ways of a rank, or of several.  Beyond 16384 those are left out that came up last.
void add_ways(call_ways& to, const rank_profile& of);
void add_ways(call_ways& to, const call_ways& others);
[[nodiscard]] std::vector<std::byte> pack_ways(const call_ways& ways);
[[nodiscard]] call_ways unpack_ways(std::span<const std::byte> packed);

/// The numbers of a rank's own sites in the list of all.
class site_numbers {
 public:
  site_numbers() = default;
  /// `numbers` are by the keys of ways.
  site_numbers(const rank_profile& of, const std::map<std::uint64_t, int>& numbers);
  /// Returns -1 where a site has none.
  [[nodiscard]] int of(int site) const noexcept {
    const auto found = numbers_.find(site);
    return found == numbers_.end() ? -1 : found->second;
  }

 private:
  std::map<int, int> numbers_;
};

}  // namespace plait::attach
