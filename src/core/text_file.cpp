// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <unistd.h>

#include "core/filled.hpp"

namespace plait {
namespace {

namespace files = std::filesystem;

/// Returns false for a device, a pipe or a socket, which no file is to replace.
[[nodiscard]] bool is_replaced(const files::path& path) {
  std::error_code ignored;
  const files::file_status status = files::status(path, ignored);
  return !files::exists(status) || files::is_regular_file(status);
}

[[nodiscard]] std::string last_reason() {
  return errno != 0 ? std::strerror(errno) : "it cannot be written";
}

/// Returns what went wrong; empty: nothing.
[[nodiscard]] std::string write_whole(const files::path& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file ? "" : last_reason();
}

[[nodiscard]] std::string print_whole(std::string_view text) {
  errno = 0;
  const bool printed = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return printed && std::fflush(stdout) == 0 ? "" : last_reason();
}

/// Replaces what a link leads to, not the link.
[[nodiscard]] std::string replace_whole(const files::path& path, std::string_view text) {
  std::error_code failed;
  files::path target = path;
  for (int links = 0; links < 40 && files::is_symlink(target, failed); ++links) {
    const files::path next = files::read_symlink(target, failed);
    if (failed) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  files::path partial = target;
  partial += filled(".partial-{}", ::getpid());
  std::string failure = write_whole(partial, text);
  if (failure.empty()) {
    files::rename(partial, target, failed);
    if (!failed) return "";
    failure = failed.message();
  }
  files::remove(partial, failed);
  return failure;
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t longest_bytes) {
  std::error_code failed;
  const auto status = files::status(path, failed);
  if (files::exists(status) && !files::is_regular_file(status))
    throw usage_error(path + ": is no regular file");
  // At once, and piece by piece where there is more: files of /proc have no size.
  const std::uintmax_t size = files::file_size(path, failed);
  const std::uintmax_t first = failed ? 0 : std::min<std::uintmax_t>(size, longest_bytes);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::size_t piece = std::max<std::size_t>(first, 1 << 16) + 1; file; piece *= 2) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    file.read(text.data() + before, static_cast<std::streamsize>(piece));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    if (text.size() > longest_bytes)
      throw usage_error(path + ": is longer than " + std::to_string(longest_bytes) + " bytes");
  }
  if (!file.eof() || file.bad()) throw usage_error(path + ": cannot be read");
  return text;
}

std::string why_not_writable(const std::string& path) {
  if (path == "-") return "";
  std::error_code ignored;
  if (files::is_directory(path, ignored)) return "is a folder";
  if (!is_replaced(path)) return ::access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  const files::path folder = files::path(path).parent_path();
  if (!folder.empty() && !files::is_directory(folder, ignored)) {
    return "there is no folder " + folder.string();
  }
  const bool is_there = files::exists(path, ignored);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return std::strerror(errno);
  ::close(file);
  if (!is_there) files::remove(files::weakly_canonical(path, ignored), ignored);
  return "";
}

void write_text_file(const std::string& path, std::string_view text) {
  const std::string failure = path == "-"         ? print_whole(text)
                              : is_replaced(path) ? replace_whole(path, text)
                                                  : write_whole(path, text);
  if (!failure.empty()) throw error(filled("cannot write '{}': {}", path, failure));
}

}  // namespace plait
