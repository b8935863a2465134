// SPDX-License-Identifier: BSD-3-Clause
// Calls of collectives in GOAL: a comment above a calculation of no duration names the call.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/collective/choice.hpp>
#include <plait/core/error.hpp>
#include <plait/simulate/call_program.hpp>

namespace plait::simulate {
namespace {

constexpr std::string_view begins_call = "collective ";

/// Takes what comes before `mark`, and the mark; all, where there is none.
[[nodiscard]] std::string_view take(std::string_view& rest, std::string_view mark) {
  const std::size_t at = std::min(rest.find(mark), rest.size());
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(std::min(rest.size(), at + mark.size()));
  return taken;
}

[[nodiscard]] std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Reads "collective allreduce 8 bytes, root 0: Allreduce at sum (main.c:7)".
[[nodiscard]] std::optional<collective_call> call_from(std::string_view name, std::uint32_t ranks) {
  std::string_view rest = name.substr(begins_call.size());
  std::string_view said = take(rest, ": ");
  const auto what = collective::operation_from(take(said, " "));
  const auto bytes = number_in(take(said, " bytes, root "));
  const auto root = number_in(said);
  if (!what.has_value() || !bytes.has_value() || !root.has_value() || *root >= ranks)
    return std::nullopt;
  const auto lists = collective::lists_of({.what = *what, .ranks = static_cast<int>(ranks)});
  if (lists.send_blocks.has_value() || lists.receive_blocks.has_value()) return std::nullopt;
  collective_call call;
  call.what = *what;
  call.root = static_cast<std::uint32_t>(*root);
  call.count = *bytes;
  call.cut = {std::numeric_limits<std::size_t>::max(), 1};
  if (!call.why_not_on(ranks).empty()) return std::nullopt;
  call.how = collective::usual_algorithm(call.shape_on(0, ranks), true);
  return call;
}

/// Ranks of a binary file may share templates, with peers by another rule.
[[nodiscard]] program with_own_templates(program read) {
  std::vector<rank_template> own;
  for (std::uint32_t rank = 0; rank < read.ranks(); ++rank) {
    for (operation& what : own.emplace_back(read.of_rank(rank)).operations) {
      if (what.kind != operation_kind::calculation) what.peer = peer_of(read, what, rank);
      what.rule = peer_rule::rank;
    }
  }
  read.templates = std::move(own);
  std::ranges::copy(std::views::iota(0U, read.ranks()), read.template_of.begin());
  return read;
}

}  // namespace

call_program calls_in(program read, const std::string& where) {
  call_program made{with_own_templates(std::move(read)), {}};
  program& all = made.operations;
  std::unordered_map<std::uint32_t, std::uint32_t> place_of_name;
  for (std::uint32_t n = 0; n < all.names.size(); ++n) {
    std::string& name = all.names[n];
    if (!name.starts_with(begins_call)) continue;
    const auto call = call_from(name, all.ranks());
    if (!call.has_value())
      throw usage_error(fmt::format("{}: '{}' is no collective that can be rebuilt", where, name));
    made.calls.push_back(*call);
    place_of_name[n] = static_cast<std::uint32_t>(made.calls.size());
    if (const std::size_t at = name.find(": "); at != std::string::npos) name.erase(0, at + 2);
  }
  for (rank_template& one : all.templates) {
    for (operation& what : one.operations) {
      const auto call = place_of_name.find(what.name);
      if (what.kind == operation_kind::calculation && call != place_of_name.end())
        what.samples = call->second;
      if (what.kind != operation_kind::calculation && what.peer == any)
        throw usage_error(where + ": a receive from any rank has no law");
    }
  }
  return made;
}

}  // namespace plait::simulate
