// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <plait/plait.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace compress {
namespace {

[[nodiscard]] std::string reason() {
  return std::strerror(errno);
}

/// Names what a signal removes.  A handler may call unlink, and read memory that no longer changes.
std::array<char, 4096> removed_by_signal{};

void remove_and_end(int signal) {
  unlink(removed_by_signal.data());
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void remove_on_signals(const std::string& path) {
  if (path.size() >= removed_by_signal.size()) return;
  path.copy(removed_by_signal.data(), path.size());
  removed_by_signal[path.size()] = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, remove_and_end);
}

}  // namespace

input_file::input_file(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw plait::usage_error(fmt::format("{}: {}", path_, reason()));
  struct stat found {};
  const bool is_known = fstat(descriptor_, &found) == 0;
  if (!is_known || !S_ISREG(found.st_mode)) {
    close(descriptor_);
    throw plait::usage_error(
        fmt::format("{}: {}", path_,
                    is_known && S_ISDIR(found.st_mode) ? "is a folder" : "is no regular file"));
  }
  size_ = found.st_size;
}

input_file::~input_file() {
  close(descriptor_);
}

void input_file::read(std::int64_t at, std::vector<std::byte>& to, std::size_t count) const {
  to.resize(count);
  for (std::size_t done = 0; done < count;) {
    const ssize_t got =
        pread(descriptor_, to.data() + done, count - done, at + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw plait::error(fmt::format("cannot read {}: {}", path_,
                                     got < 0 ? reason() : "it has become shorter meanwhile"));
    done += static_cast<std::size_t>(got);
  }
}

output_file::output_file(std::string path) : path_(std::move(path)) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond a limit fails, as one to a full disk does
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  const std::string where = folder.empty() ? "." : folder.string();
  descriptor_ = open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    temporary_ = fmt::format("{}.{}.part", path_, getpid());
    descriptor_ = open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
      throw plait::usage_error(fmt::format("cannot write in {}: {}", where, reason()));
    remove_on_signals(temporary_);
  }
}

output_file::~output_file() {
  discard();
  close(descriptor_);
}

void output_file::discard() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

void output_file::append(std::span<const std::byte> some) {
  while (!some.empty()) {
    const ssize_t put = write(descriptor_, some.data(), some.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw plait::error(fmt::format("cannot write {}: {}", path_, reason()));
    some = some.subspan(static_cast<std::size_t>(put));
    size_ += put;
  }
}

void output_file::clear() {
  size_ = 0;
  if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0)
    throw plait::error(fmt::format("cannot write {}: {}", path_, reason()));
}

std::vector<std::byte> output_file::read(std::int64_t at, std::size_t count) const {
  std::vector<std::byte> result(count);
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = pread(descriptor_, result.data() + done, count - done,
                              at + static_cast<std::int64_t>(done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  result.resize(done);
  return result;
}

void output_file::commit(bool replaces, const std::string& like) {
  struct stat found {};
  if (stat(like.c_str(), &found) == 0) (void)fchmod(descriptor_, found.st_mode & 0777);
  // A link to no name yet: at once the final one where nothing may be replaced.
  const bool had_name = !temporary_.empty();
  if (!had_name) {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    const std::string first = replaces ? fmt::format("{}.{}.part", path_, getpid()) : path_;
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, first.c_str(), AT_SYMLINK_FOLLOW) != 0)
      throw plait::error(fmt::format("cannot write {}: {}", path_, reason()));
    if (!replaces) return;
    temporary_ = first;
  }
  const bool done = replaces ? std::rename(temporary_.c_str(), path_.c_str()) == 0
                             : link(temporary_.c_str(), path_.c_str()) == 0;
  if (!done) throw plait::error(fmt::format("cannot write {}: {}", path_, reason()));
  if (replaces) temporary_.clear();  // else its other name goes with this
}

}  // namespace compress
