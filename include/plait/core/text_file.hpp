// SPDX-License-Identifier: BSD-3-Clause
/// Reads and writes text files that a person has named.  Not here: what the text means.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace plait {

/// More than any text that plait reads; a longer file was named by mistake.
inline constexpr std::size_t longest_text_file_bytes = std::size_t{64} << 20;

/// Returns what is in a regular file: a device may have no end, and a pipe no writer.  Errors:
/// `usage_error` that begins with the path, where it is none, cannot be read, or is longer.
[[nodiscard]] std::string read_text_file(const std::string& path,
                                         std::size_t longest_bytes = longest_text_file_bytes);

/// Returns why nothing can be written to `path`; empty: it can, as to "-".  Leaves the file as it
/// is, and none that was not there: a job that breaks off later has no file, not an empty one.
[[nodiscard]] std::string why_not_writable(const std::string& path);

/// Writes `text` under another name first, so that nobody reads half of it, to the file that `path`
/// leads to; to a device or a pipe as it is; "-" is standard output.  Errors: `error` that names
/// the path and the reason; then no half of a file is left.  Thread safety: any thread.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace plait
