// SPDX-License-Identifier: BSD-3-Clause
/// Gives the two sides of each recorded message a tag that no other message between the two has.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/trace/recording.hpp>

namespace plait::simulate {

/// Errors: usage_error for a message with one side, or whose sides have different sizes.
class message_tags {
 public:
  message_tags(std::span<const recording> ranks, const std::string& where,
               std::optional<std::uint32_t> runtime);

  /// Returns the tag of message number `at` of a rank.  Precondition: the message has two sides and
  /// is of a runtime that is read.
  [[nodiscard]] std::uint32_t of(std::uint32_t rank, std::size_t at) const {
    return tags_[rank][at];
  }

 private:
  std::vector<std::vector<std::uint32_t>> tags_;
};

}  // namespace plait::simulate
