// SPDX-License-Identifier: BSD-3-Clause
/// Lines of a text file, gzip-compressed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plait::sparse {

/// Returns text of a file as a message may show it: in quotes, at most 40 characters of it, what
/// cannot be printed as `?`.
[[nodiscard]] std::string shown(std::string_view text);

/// Reads one line after another.  Memory: what a line may have, whatever the file says.
class line_reader {
 public:
  /// No line of the formats read here is longer.
  static constexpr std::size_t longest_line = 4096;

  /// Errors: usage_error, one line, if this is no regular file or cannot be opened.
  explicit line_reader(const std::string& path);
  ~line_reader();
  line_reader(const line_reader&) = delete;
  line_reader& operator=(const line_reader&) = delete;

  /// Stores the next line without its end (LF or CR LF); valid until the next call.  Returns false
  /// behind the last.  Errors: usage_error for a damaged or truncated gzip file and for a line
  /// that is too long.
  [[nodiscard]] bool next(std::string_view& line);

  /// Throws usage_error: file, number of the line, what is wrong.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  struct implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace plait::sparse
