// SPDX-License-Identifier: BSD-3-Clause
/// Compression of a piece of a file into a whole stream of its own.  `bzip2 -d` and `zstd -d` read
/// streams that follow each other as one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace compress {

using bytes = std::span<const std::byte>;

/// The bytes that come out depend on the piece alone.  Thread-safe.
class codec {
 public:
  virtual ~codec() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string suffix() const = 0;  ///< ".bz2"
  [[nodiscard]] virtual int level() const noexcept = 0;
  /// Returns a size of pieces that makes them take about as many bytes, compressed one by one, as
  /// the whole.
  [[nodiscard]] virtual std::size_t piece_bytes() const noexcept = 0;
  /// Returns an upper limit of the compressed length of a piece of so many bytes.
  [[nodiscard]] virtual std::size_t most_bytes(std::size_t piece) const noexcept = 0;
  /// Replaces `to`.  Calls `between` now and then.  Errors: plait::error.
  virtual void run(bytes piece, std::vector<std::byte>& to,
                   const std::function<void()>& between) const = 0;
};

/// Errors: usage_error for a level that the codec does not have.
[[nodiscard]] std::unique_ptr<codec> make_bzip2(int level);  ///< 1 to 9
[[nodiscard]] std::unique_ptr<codec> make_zstd(int level);   ///< -7 to 19

}  // namespace compress
