// SPDX-License-Identifier: BSD-3-Clause
/// A file that is gone with its object.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

class scratch_file {
 public:
  explicit scratch_file(const std::string& content, const std::string& ending = ".mtx")
      : path_((std::filesystem::temp_directory_path() /
               ("plait_sparse_" + std::to_string(getpid()) + ending))
                  .string()) {
    write(content);
  }
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  void write(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};
