// SPDX-License-Identifier: BSD-3-Clause
/// Describes what netlib's HPL.dat and our own options say of a run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/mesh.hpp"

namespace hpl {

/// Order of operations in a factorisation: of columns (PFACT), and of their groups (RFACT).
enum class looking : std::uint8_t { left, crout, right };
/// Ways of a panel along a process row, as netlib numbers them.
enum class broadcast : std::uint8_t {
  ring,            ///< 0: 1rg
  ring_modified,   ///< 1: 1rM
  rings,           ///< 2: 2rg
  rings_modified,  ///< 3: 2rM
  spread,          ///< 4: Lng, scatter and ring
  spread_modified  ///< 5: LnM
};
/// Ways to exchange rows along a process column.
enum class swapping : std::uint8_t {
  exchange,  ///< 0: bin-exch, in pairs
  roll,      ///< 1: long, spread and roll
  mixed,     ///< 2: pairs up to a number of columns, else roll
};

inline constexpr std::array<std::string_view, 3> looking_names{"left", "crout", "right"};
inline constexpr std::array<std::string_view, 6> broadcast_names{"1ring",  "1ringM", "2ring",
                                                                 "2ringM", "Blong",  "BlongM"};
inline constexpr std::array<std::string_view, 3> swapping_names{"bin-exch", "long", "mix"};

struct settings {
  std::int64_t n = 4000;
  std::int64_t nb = 128;
  plait::dense::grid_shape grid;
  plait::dense::rank_order order = plait::dense::rank_order::row_major;
  looking pfact = looking::right;
  std::int64_t nbmin = 8;
  std::int64_t ndiv = 2;
  looking rfact = looking::right;
  broadcast bcast = broadcast::ring_modified;
  int depth = 1;  ///< panels ahead, as HPL.dat says it
  swapping swap = swapping::mixed;
  std::int64_t swap_threshold = 64;
  double threshold = 16;
  /// This column of A is set to 0, to see what a singular matrix does; -1: none.
  std::int64_t zero_column = -1;
};

/// Reads a file of netlib's form: one run for each combination, in netlib's order.  Errors:
/// usage_error naming the file and the line.
[[nodiscard]] std::vector<settings> read_hpl_dat(const std::string& file);

/// Returns netlib's code of a run, such as "WR11C2R4".
[[nodiscard]] std::string netlib_code(const settings& of);

}  // namespace hpl
