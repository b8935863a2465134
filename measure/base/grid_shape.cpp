// SPDX-License-Identifier: BSD-3-Clause
#include "grid_shape.hpp"

#include <charconv>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace plait::measure {

grid_shape parse_grid_shape(const std::string& option, const std::string& text) {
  grid_shape shape;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, shape.rows);
  const bool has_rows = rows.ec == std::errc{} && rows.ptr != end && *rows.ptr == 'x';
  const auto columns =
      has_rows ? std::from_chars(rows.ptr + 1, end, shape.columns) : std::from_chars_result{};
  if (!has_rows || columns.ec != std::errc{} || columns.ptr != end || shape.rows < 0 ||
      shape.columns < 0)
    throw usage_error(
        fmt::format("{} is '{}'; it must be rows x columns of processes, such as 2x3 (0 = choose)",
                    option, text));
  return shape;
}

}  // namespace plait::measure
