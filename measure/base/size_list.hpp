// SPDX-License-Identifier: BSD-3-Clause
/// Message sizes on command lines and in result files: "8,4KiB,1MiB".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plait::measure {

/// Sizes in bytes, in the order given; B, KiB and MiB are known, a bare number is bytes.
/// Errors: usage_error naming `option` for anything else, and for sizes outside [least, 1 GiB].
[[nodiscard]] std::vector<std::size_t> parse_sizes(const std::string& option,
                                                   const std::string& text, std::size_t least);

/// Parses one size.
[[nodiscard]] std::size_t parse_one_size(const std::string& option, const std::string& text,
                                         std::size_t least);

/// "8B", "4KiB", "1MiB": the largest unit that divides it.
[[nodiscard]] std::string size_label(std::size_t bytes);

}  // namespace plait::measure
