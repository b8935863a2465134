// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/recorded/message_tags.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <plait/core/error.hpp>

namespace plait::simulate {
namespace {

struct side {
  message_key of;
  std::uint32_t rank;
  std::size_t at;
  std::uint64_t size_bytes;
  bool sent;
};

[[nodiscard]] std::vector<side> sides_in(std::span<const recording> ranks,
                                         std::optional<std::uint32_t> runtime) {
  std::vector<side> all;
  for (const recording& one : ranks) {
    for (std::size_t at = 0; at < one.messages.size(); ++at) {
      const recorded_message& m = one.messages[at];
      if (m.what != recorded_message::kind::point_to_point) continue;
      if (runtime.has_value() && m.runtime != *runtime) continue;
      const std::uint32_t from = m.sent ? one.rank : m.peer;
      const std::uint32_t to = m.sent ? m.peer : one.rank;
      all.push_back({{from, to, m.runtime, m.communicator, m.tag, m.place},
                     one.rank,
                     at,
                     m.size_bytes,
                     m.sent});
    }
  }
  // The send of a message before its receive.
  std::ranges::sort(all, [](const side& a, const side& b) {
    return a.of != b.of ? a.of < b.of : a.sent > b.sent;
  });
  return all;
}

}  // namespace

message_tags::message_tags(std::span<const recording> ranks, const std::string& where,
                           std::optional<std::uint32_t> runtime) {
  for (const recording& one : ranks) tags_.emplace_back(one.messages.size());
  const std::vector<side> all = sides_in(ranks, runtime);
  std::uint32_t tag = 0;
  const message_key* before = nullptr;
  const auto leave_without = [this](const side& one) {
    tags_[one.rank][one.at] = none;
    ++without_tag_;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const side& first = all[i];
    const message_key& of = first.of;
    const auto refuse = [&](const std::string& why) {
      throw usage_error(
          fmt::format("{}: the message from rank {} to rank {}, tag {}, number {}: {}", where,
                      of.from, of.to, of.tag, of.place, why));
    };
    const bool may_lack = of.communicator >= recorded_message::first_of_tasks;
    const bool is_pair = i + 1 < all.size() && all[i + 1].of == of && first.sent != all[i + 1].sent;
    if (!is_pair) {
      if (!may_lack) refuse(first.sent ? "nobody has received it" : "nobody has sent it");
      leave_without(first);
      continue;
    }
    const side& second = all[++i];
    if (first.size_bytes != second.size_bytes) {
      if (!may_lack)
        refuse(fmt::format("{} bytes were sent, {} received", first.size_bytes, second.size_bytes));
      leave_without(first);
      leave_without(second);
      continue;
    }
    const bool same_ranks = before != nullptr && before->from == of.from && before->to == of.to;
    tag = same_ranks ? tag + 1 : 0;
    before = &of;
    tags_[first.rank][first.at] = tag;
    tags_[second.rank][second.at] = tag;
  }
}

}  // namespace plait::simulate
