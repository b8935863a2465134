// SPDX-License-Identifier: BSD-3-Clause
/// Files that are written at the end of a run, and looked at when it begins.
#pragma once

#include <string>

namespace plait {

/// Why nothing can be written to `path`; empty: it can.  Leaves the file as it is.
[[nodiscard]] std::string why_not_writable(const std::string& path);

/// Writes `text`, under another name first, so that nobody reads half of it; a device or a pipe, as
/// it is.  Errors: `error`.
void write_output(const std::string& path, const std::string& text);

/// "trace.json" as "trace.2.json".
[[nodiscard]] std::string numbered(const std::string& path, int number);

}  // namespace plait
