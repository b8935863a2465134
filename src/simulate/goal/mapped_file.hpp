// SPDX-License-Identifier: BSD-3-Clause
/// A large file that is read once from its begin to its end, without a copy of it in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plait::simulate {

/// Maps a file.  Nobody may shorten it meanwhile.
class mapped_file {
 public:
  /// A file that cannot be mapped has no bytes here: whoever reads it otherwise says why.  Waits
  /// for no writer of a pipe.
  explicit mapped_file(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    struct stat about {};
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
      const auto size = static_cast<std::size_t>(about.st_size);
      void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) {
        bytes_ = {static_cast<const char*>(at), size};
        ::madvise(at, size, MADV_SEQUENTIAL);
      }
    }
    ::close(file);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

  /// Gives memory back: what lies before `end` is hardly needed again, and comes from the file if
  /// it is.
  void passed(std::size_t end) noexcept {
    end = std::min(end, bytes_.size()) / piece * piece;
    if (end <= passed_) return;
    ::madvise(const_cast<char*>(bytes_.data()) + passed_, end - passed_, MADV_DONTNEED);
    passed_ = end;
  }

 private:
  static constexpr std::size_t piece = std::size_t{16} << 20;  ///< a multiple of all page sizes
  std::string_view bytes_;
  std::size_t passed_ = 0;
};

}  // namespace plait::simulate
