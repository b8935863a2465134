// SPDX-License-Identifier: BSD-3-Clause
/// One file that ranks compress together: piece i is read and compressed by rank i mod P, and rank
/// 0 writes all of them in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "codec.hpp"
#include "files.hpp"
#include "measure/compare/verdict.hpp"

namespace compress {

using plait::measure::setting;
using plait::measure::verdict;
using buffer = std::vector<std::byte>;

class archive {
 public:
  /// Opens the files.  `output`: only rank 0 looks at it.  Collective.  Errors: usage_error on
  /// every rank.
  archive(plait::environment& env, const std::string& input, const std::string& output,
          const codec& how);

  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] const codec& how() const noexcept { return how_; }
  [[nodiscard]] std::int64_t input_bytes() const noexcept { return input_->size(); }
  /// On rank 0.
  [[nodiscard]] output_file& output() const noexcept { return *output_; }
  /// Leaves nothing of the output behind.
  void discard() noexcept {
    if (output_) output_->discard();
  }
  [[nodiscard]] const std::string& input_path() const noexcept { return input_->path(); }

  /// At least 1: of an empty file an empty one.
  [[nodiscard]] std::int64_t pieces() const noexcept { return pieces_; }
  [[nodiscard]] int owner(std::int64_t piece) const noexcept {
    return static_cast<int>(piece % ranks_);
  }
  /// Tells a rank's messages apart, a good many of them at least.
  [[nodiscard]] int tag(std::int64_t piece) const noexcept {
    return static_cast<int>(piece / ranks_ % 16384);
  }
  [[nodiscard]] std::size_t most_bytes() const noexcept {
    return how_.most_bytes(how_.piece_bytes());
  }
  /// Reads a piece and compresses it.  Thread-safe.
  void compress(std::int64_t piece, buffer& to, const std::function<void()>& between) const;
  /// Appends to the output, on rank 0, and says so to `progress`.
  void write(std::int64_t piece, const buffer& some);

  void reset(setting how);
  /// Compresses everything by itself on rank 0, and keeps what must come out.  Collective.
  void make_reference();
  /// Compressed bytes of each piece, from the reference; the same on every rank.
  [[nodiscard]] const std::vector<std::int64_t>& sizes() const noexcept { return sizes_; }
  /// The output against the reference, every byte; of isolated ranks rank 0's own pieces.
  [[nodiscard]] verdict check(setting how) const;

  std::function<void(std::int64_t pieces)> progress;  ///< of pieces written

 private:
  const codec& how_;
  plait::environment& env_;
  int rank_;
  int ranks_;
  std::unique_ptr<input_file> input_;
  std::unique_ptr<output_file> output_;  ///< on rank 0
  std::int64_t pieces_ = 1;
  std::vector<std::int64_t> sizes_;
  std::vector<std::byte> expected_;  ///< on rank 0
};

}  // namespace compress
