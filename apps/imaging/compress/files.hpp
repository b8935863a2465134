// SPDX-License-Identifier: BSD-3-Clause
/// The file that is read, by pieces, and the one that is written, which nobody sees until it is
/// whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace compress {

/// A regular file.  Thread-safe.
class input_file {
 public:
  /// Errors: usage_error where it is none, or cannot be read.
  explicit input_file(std::string path);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Errors: plait::error, also where the file has become shorter.
  void read(std::int64_t at, std::vector<std::byte>& to, std::size_t count) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// A file without a name, in the folder of the one that it will be: whatever happens to the
/// process, nothing is left behind.  Where the file system has no such files, one with a name of
/// its own, which goes on destruction and where a signal ends the process.
class output_file {
 public:
  /// Errors: usage_error where the folder cannot be written to.
  explicit output_file(std::string path);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Errors: plait::error, such as of a full disk.
  void append(std::span<const std::byte> some);
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Back to an empty file.
  void clear();
  [[nodiscard]] std::vector<std::byte> read(std::int64_t at, std::size_t count) const;
  /// Removes what has a name before `commit`: an exception that leaves main destroys nothing.
  void discard();
  /// Gives the file its name at once, with the owner's rights of `like`.  A file of that name is
  /// replaced if `replaces`, else an error.  Errors: plait::error.
  void commit(bool replaces, const std::string& like);

 private:
  std::string path_;
  std::string temporary_;  ///< empty while it has no name
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace compress
