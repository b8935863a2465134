// SPDX-License-Identifier: BSD-3-Clause
/// Reading a small text file that a person has named.  Not here: what the text means.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <string>

namespace plait {

/// More than any text that plait reads; a longer file was named by mistake.
inline constexpr std::size_t longest_text_file_bytes = std::size_t{64} << 20;

/// Returns what is in a regular file: a device may have no end, and a pipe no writer.  Errors:
/// `usage_error` that begins with the path, where it is none, cannot be read, or is longer.
[[nodiscard]] std::string read_text_file(const std::string& path,
                                         std::size_t longest_bytes = longest_text_file_bytes);

}  // namespace plait
