// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>

namespace plait {

std::string read_text_file(const std::string& path, std::size_t longest_bytes) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw usage_error(path + ": is no regular file");
  // Piece by piece: files of /proc have no size.
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::size_t piece = 1 << 16; file; piece *= 2) {
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

}  // namespace plait
