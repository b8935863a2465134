// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/ranks/message_pairs.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>

namespace plait::simulate {
namespace {

struct side {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t tag;
  bool received;
  std::uint32_t operation;

  [[nodiscard]] auto stream() const { return std::tuple(from, to, tag); }
};

[[nodiscard]] std::vector<side> sides_of(const program& of) {
  std::vector<side> all;
  for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
    const rank_template& one = of.of_rank(rank);
    for (std::uint32_t i = 0; i < one.size(); ++i) {
      const operation& what = one.operations[i];
      if (what.kind == operation_kind::calculation) continue;
      const bool received = what.kind == operation_kind::receive;
      all.push_back(
          {received ? what.peer : rank, received ? rank : what.peer, what.tag, received, i});
    }
  }
  std::ranges::sort(all, {}, [](const side& one) {
    return std::tuple(one.from, one.to, one.tag, one.received, one.operation);
  });
  return all;
}

/// Returns whether two sizes that follow their laws separately are one.
[[nodiscard]] bool are_one_but_for_rounding(std::uint64_t one, std::uint64_t other) {
  constexpr std::uint64_t parts = 50;  // exponents that are fitted to whole bytes: 2 %
  const std::uint64_t apart = std::max(one, other) - std::min(one, other);
  return apart <= std::max<std::uint64_t>(2, std::max(one, other) / parts);
}

}  // namespace

void pair_messages(program& of) {
  const std::vector<side> all = sides_of(of);
  std::uint32_t next = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    const auto stream = all[begin].stream();
    std::size_t end = begin;
    std::size_t sends = 0;
    for (; end < all.size() && all[end].stream() == stream; ++end) sends += !all[end].received;
    const std::size_t receives = end - begin - sends;
    const auto& [from, to, tag] = stream;
    if (sends != receives)
      throw usage_error(
          fmt::format("rank {} sends {} messages to rank {} with tag {}, and {} are received", from,
                      sends, to, tag, receives));
    const bool new_pair = begin == 0 || all[begin - 1].from != from || all[begin - 1].to != to;
    if (new_pair) next = 0;
    for (std::size_t i = 0; i < sends; ++i) {
      operation& sent = of.templates[of.template_of[from]].operations[all[begin + i].operation];
      operation& received =
          of.templates[of.template_of[to]].operations[all[begin + sends + i].operation];
      if (!are_one_but_for_rounding(sent.size, received.size))
        throw usage_error(fmt::format(
            "rank {} sends {} bytes ('{}') to rank {} with tag {}, which receives {} ('{}')", from,
            sent.size, of.names[sent.name], to, tag, received.size, of.names[received.name]));
      received.size = sent.size;
      sent.tag = received.tag = next++;
    }
    begin = end;
  }
}

void number_tags_by_pair(program& of) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> next;
  for (const operation_kind kind : {operation_kind::send, operation_kind::receive}) {
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
      for (operation& what : of.templates[of.template_of[rank]].operations) {
        if (what.kind != kind) continue;
        const bool sent = kind == operation_kind::send;
        const std::uint32_t from = sent ? rank : what.peer;
        const std::uint32_t to = sent ? what.peer : rank;
        const auto [known, is_new] = numbers.try_emplace({from, to, what.tag}, 0);
        if (is_new) known->second = next[{from, to}]++;
        what.tag = known->second;
      }
    }
  }
}

}  // namespace plait::simulate
