// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <bzlib.h>
#include <fmt/format.h>
#include <plait/plait.hpp>

#include "codec.hpp"

namespace compress {
namespace {

constexpr std::size_t bytes_of_a_level = 100'000;

class bzip2 final : public codec {
 public:
  explicit bzip2(int level) : level_(level) {}

  [[nodiscard]] std::string name() const override { return "bzip2"; }
  [[nodiscard]] std::string suffix() const override { return ".bz2"; }
  [[nodiscard]] int level() const noexcept override { return level_; }
  /// A block of bzip2's, as a file has it where runs of equal bytes do not shorten it.
  [[nodiscard]] std::size_t piece_bytes() const noexcept override {
    return bytes_of_a_level * static_cast<std::size_t>(level_);
  }
  /// Bound of bzip2's manual: 1 % and 600 bytes more.
  [[nodiscard]] std::size_t most_bytes(std::size_t piece) const noexcept override {
    return piece + piece / 100 + 600;
  }

  void run(bytes piece, std::vector<std::byte>& to,
           const std::function<void()>& between) const override {
    to.resize(most_bytes(piece.size()));
    bz_stream stream{};
    check(BZ2_bzCompressInit(&stream, level_, 0, 0), BZ_OK);
    stream.next_out = reinterpret_cast<char*>(to.data());
    stream.avail_out = static_cast<unsigned>(to.size());
    for (std::size_t at = 0; at < piece.size(); at += bytes_of_a_level) {
      // The interface has no const.
      stream.next_in = const_cast<char*>(reinterpret_cast<const char*>(piece.data() + at));
      stream.avail_in = static_cast<unsigned>(std::min(bytes_of_a_level, piece.size() - at));
      while (stream.avail_in > 0) check(BZ2_bzCompress(&stream, BZ_RUN), BZ_RUN_OK);
      between();
    }
    check(BZ2_bzCompress(&stream, BZ_FINISH), BZ_STREAM_END);
    to.resize(to.size() - stream.avail_out);
    check(BZ2_bzCompressEnd(&stream), BZ_OK);
  }

 private:
  static void check(int code, int expected) {
    if (code != expected) throw plait::error(fmt::format("bzip2's library returns {}", code));
  }

  int level_;
};

}  // namespace

std::unique_ptr<codec> make_bzip2(int level) {
  if (level < 1 || level > 9)
    throw plait::usage_error(fmt::format("--level is {}; bzip2 has 1 to 9", level));
  return std::make_unique<bzip2>(level);
}

}  // namespace compress
