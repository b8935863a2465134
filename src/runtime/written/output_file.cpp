// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <unistd.h>

namespace plait {
namespace {

namespace files = std::filesystem;

/// Returns true for a device, a pipe or a socket, which no file is to replace.
[[nodiscard]] bool is_special(const std::string& path) {
  std::error_code ignored;
  const files::file_status status = files::status(path, ignored);
  return files::exists(status) && !files::is_regular_file(status);
}

/// Empty: all of it is written.
[[nodiscard]] std::string write_whole(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return "";
  return errno != 0 ? std::strerror(errno) : "it cannot be written";
}

}  // namespace

std::string why_not_writable(const std::string& path) {
  std::error_code ignored;
  if (files::is_directory(path, ignored)) return "is a folder";
  if (is_special(path)) return ::access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  const files::path folder = files::path(path).parent_path();
  if (!folder.empty() && !files::is_directory(folder, ignored)) {
    return "there is no folder " + folder.string();
  }
  const bool is_there = files::exists(path, ignored);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return std::strerror(errno);
  ::close(file);
  if (!is_there) ::unlink(path.c_str());
  return "";
}

void write_output(const std::string& path, const std::string& text) {
  std::string failure;
  const std::string partial = path + ".partial";
  if (is_special(path)) {
    failure = write_whole(path, text);
  } else if (failure = write_whole(partial, text); failure.empty()) {
    std::error_code failed;
    files::rename(partial, path, failed);
    if (failed) failure = failed.message();
  }
  if (failure.empty()) return;
  if (!is_special(path)) ::unlink(partial.c_str());
  throw error(fmt::format("{}: {}", path, failure));
}

std::string numbered(const std::string& path, int number) {
  const files::path whole(path);
  const std::string name =
      fmt::format("{}.{}{}", whole.stem().string(), number, whole.extension().string());
  return (whole.parent_path() / name).string();
}

}  // namespace plait
