// SPDX-License-Identifier: BSD-3-Clause
/// Gives the two sides of each recorded message a tag that no other message between the two has.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/trace/recording.hpp>

namespace plait::simulate {

/// Names a message, or a signal on a window; those between two ranks are numbered in this order.
struct message_key {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t runtime;
  std::uint32_t communicator;
  std::int32_t tag;
  std::uint64_t place;

  friend auto operator<=>(const message_key&, const message_key&) = default;
};

/// Errors: usage_error for a message with one side, or whose sides have different sizes.  A message
/// of a task's own MPI call may be so, since the recording need not have what it met: it has no
/// tag.
class message_tags {
 public:
  message_tags(std::span<const recording> ranks, const std::string& where,
               std::optional<std::uint32_t> runtime);

  /// Returns the tag of message number `at` of a rank, or nothing.  Precondition: the message is
  /// one between two ranks, of a runtime that is read.
  [[nodiscard]] std::optional<std::uint32_t> of(std::uint32_t rank, std::size_t at) const {
    const std::uint32_t tag = tags_[rank][at];
    return tag == none ? std::nullopt : std::optional(tag);
  }
  /// Returns how many sides of messages have no tag.
  [[nodiscard]] std::size_t without_tag() const noexcept { return without_tag_; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::vector<std::uint32_t>> tags_;
  std::size_t without_tag_ = 0;
};

}  // namespace plait::simulate
