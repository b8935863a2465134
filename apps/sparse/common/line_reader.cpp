// SPDX-License-Identifier: BSD-3-Clause
#include "line_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <zlib.h>

namespace plait::sparse {

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result = "'";
  for (const char c : text.substr(0, most)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > most ? "…'" : "'");
}

struct line_reader::implementation {
  std::string path;
  gzFile file = nullptr;
  std::vector<char> buffer = std::vector<char>(std::size_t{1} << 16);
  std::size_t begin = 0;  ///< of what has been read and not handed out
  std::size_t end = 0;
  bool at_end = false;
  std::int64_t number = 0;

  /// Reads on, behind what is left.
  void refill() {
    std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
    const int got = gzread(file, buffer.data() + end, static_cast<unsigned>(buffer.size() - end));
    int code = Z_OK;
    const char* const said = gzerror(file, &code);
    // Z_BUF_ERROR with bytes: the compressed file ends early, and more may have come before.
    if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
      const std::string why = code == Z_ERRNO       ? std::strerror(errno)
                              : code == Z_BUF_ERROR ? "the compressed file ends early"
                                                    : std::string("damaged: ") + said;
      throw usage_error(
          fmt::format("{}: cannot be read behind line {}: {}", shown_path(), number, why));
    }
    at_end = got == 0;
    end += static_cast<std::size_t>(got);
  }

  [[nodiscard]] std::string shown_path() const {
    std::string name = path;
    std::ranges::replace_if(
        name, [](char c) { return c >= 0 && c < ' '; }, '?');
    return name;
  }
};

line_reader::line_reader(const std::string& path) : self_(std::make_unique<implementation>()) {
  self_->path = path;
  std::error_code failed;
  const auto there = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(there))
    throw usage_error(fmt::format("{}: there is no such file", self_->shown_path()));
  if (!std::filesystem::is_regular_file(there))
    throw usage_error(fmt::format("{}: this is no regular file", self_->shown_path()));
  errno = 0;
  self_->file = gzopen(path.c_str(), "rb");
  if (self_->file == nullptr)
    throw usage_error(fmt::format("{}: cannot be opened: {}", self_->shown_path(),
                                  errno != 0 ? std::strerror(errno) : "no memory"));
}

line_reader::~line_reader() {
  if (self_->file != nullptr) gzclose(self_->file);
}

bool line_reader::next(std::string_view& line) {
  implementation& s = *self_;
  std::size_t searched = 0;
  for (;;) {
    const std::string_view left(s.buffer.data() + s.begin, s.end - s.begin);
    std::size_t length = left.find('\n', searched);
    if (length == std::string_view::npos && left.size() <= longest_line && !s.at_end) {
      searched = left.size();
      s.refill();
      continue;
    }
    const bool has_end = length != std::string_view::npos;
    if (!has_end) length = left.size();
    if (!has_end && length == 0) return false;
    ++s.number;
    if (length > longest_line)
      refuse(fmt::format("the line is longer than {} characters", longest_line));
    line = left.substr(0, length);
    if (line.ends_with('\r')) line.remove_suffix(1);
    s.begin += length + (has_end ? 1 : 0);
    return true;
  }
}

void line_reader::refuse(const std::string& what) const {
  throw usage_error(fmt::format("{}:{}: {}", self_->shown_path(), self_->number, what));
}

}  // namespace plait::sparse
