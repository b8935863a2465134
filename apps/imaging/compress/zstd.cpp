// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>
#include <plait/plait.hpp>
#include <zstd.h>

#include "codec.hpp"

namespace compress {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t bytes_between = mib / 8;

class zstd final : public codec {
 public:
  explicit zstd(int level) : level_(level) {}

  [[nodiscard]] std::string name() const override { return "zstd"; }
  [[nodiscard]] std::string suffix() const override { return ".zst"; }
  [[nodiscard]] int level() const noexcept override { return level_; }
  /// A frame forgets what came before it, and higher levels look back farther.  64 MB of sources
  /// in frames of 2, 4 and 8 MiB take at level 1 0.4, 0.3 and 0.2 % more than in one, at level 3
  /// 0.8, 0.1 and -0.2 %, at level 9 4.6, 2.3 and 1.3 %.  11.7 MB of C++ headers in frames of 4 MiB
  /// take at level 3 1.1 % more.
  [[nodiscard]] std::size_t piece_bytes() const noexcept override {
    return (level_ <= 1 ? 2 : level_ <= 4 ? 8 : 16) * mib;
  }
  [[nodiscard]] std::size_t most_bytes(std::size_t piece) const noexcept override {
    return ZSTD_compressBound(piece);
  }

  void run(bytes piece, std::vector<std::byte>& to,
           const std::function<void()>& between) const override {
    thread_local const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context{
        ZSTD_createCCtx(), &ZSTD_freeCCtx};
    check(ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters));
    check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level_));
    check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
    check(ZSTD_CCtx_setPledgedSrcSize(context.get(), piece.size()));
    to.resize(most_bytes(piece.size()));
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    std::size_t at = 0;
    do {
      const std::size_t size = std::min(bytes_between, piece.size() - at);
      ZSTD_inBuffer in{piece.data() + at, size, 0};
      at += size;
      const ZSTD_EndDirective end = at == piece.size() ? ZSTD_e_end : ZSTD_e_continue;
      while (check(ZSTD_compressStream2(context.get(), &out, &in, end)) != 0 || in.pos < in.size)
        if (end == ZSTD_e_continue && in.pos == in.size) break;
      between();
    } while (at < piece.size());
    to.resize(out.pos);
  }

 private:
  static std::size_t check(std::size_t code) {
    if (ZSTD_isError(code) != 0)
      throw plait::error(fmt::format("zstd's library: {}", ZSTD_getErrorName(code)));
    return code;
  }

  int level_;
};

}  // namespace

std::unique_ptr<codec> make_zstd(int level) {
  if (level < -7 || level > 19 || level == 0)
    throw plait::usage_error(fmt::format("--level is {}; zstd has -7 to -1 and 1 to 19", level));
  return std::make_unique<zstd>(level);
}

}  // namespace compress
