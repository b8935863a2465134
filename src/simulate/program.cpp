// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/program.hpp>

namespace plait::simulate {
namespace {

/// Splitmix64's last steps: every bit of the result depends on every bit of `value`.
[[nodiscard]] std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e37'79b9'7f4a'7c15U;
  value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9U;
  value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11ebU;
  return value ^ (value >> 31);
}

[[nodiscard]] edge_list in_rows(std::uint32_t operations,
                                const std::vector<std::pair<std::uint32_t, dependent>>& stated) {
  edge_list list;
  list.begin.assign(operations + 1, 0);
  for (const auto& [earlier, later] : stated) ++list.begin[earlier + 1];
  for (std::uint32_t i = 0; i < operations; ++i) list.begin[i + 1] += list.begin[i];
  list.edges.resize(stated.size());
  std::vector<std::uint32_t> next(list.begin.begin(), list.begin.end() - 1);
  for (const auto& [earlier, later] : stated) list.edges[next[earlier]++] = later;
  return list;
}

/// A division takes as long as the rest of a message.
[[nodiscard]] std::uint32_t shifted(std::uint32_t rank, std::uint32_t by, std::uint32_t ranks) {
  const std::uint64_t sum = std::uint64_t{rank} + by;
  return static_cast<std::uint32_t>(sum < ranks ? sum : sum % ranks);
}

[[nodiscard]] std::uint32_t step_of(const program& of, const grid_step& step, std::uint32_t rank) {
  std::uint32_t to = 0;
  std::uint32_t weight = 1;
  for (std::size_t axis = of.grid.size(); axis-- > 0;) {
    const std::int64_t extent = of.grid[axis];
    const std::int64_t moved = (static_cast<std::int64_t>(rank % extent) + step[axis]) % extent;
    to += static_cast<std::uint32_t>(moved < 0 ? moved + extent : moved) * weight;
    rank = static_cast<std::uint32_t>(rank / extent);
    weight *= static_cast<std::uint32_t>(extent);
  }
  return to;
}

void check_edges(const rank_template& checked, const edge_list& list, std::size_t number) {
  const std::uint32_t operations = checked.size();
  if (list.begin.size() != operations + std::size_t{1} || list.begin.front() != 0 ||
      list.begin.back() != list.edges.size() || !std::ranges::is_sorted(list.begin))
    throw usage_error(fmt::format("template {}: its edges do not fit its operations", number));
  for (const dependent& edge : list.edges)
    if (edge.operation() >= operations)
      throw usage_error(fmt::format("template {}: an edge leads to operation {} of {}", number,
                                    edge.operation(), operations));
}

/// Returns what is wrong with an operation; empty: nothing.
[[nodiscard]] std::string fault_of(const program& of, const operation& what) {
  if (what.name >= of.names.size()) return "its name does not exist";
  if (what.kind == operation_kind::calculation) {
    const bool is_sampled = what.duration != duration_rule::constant;
    if (is_sampled && (what.samples >= of.samples.size() || of.samples[what.samples].empty()))
      return "there are no samples of its duration";
    return {};
  }
  if (what.rule == peer_rule::grid_step && what.peer >= of.steps.size())
    return "its step in the grid does not exist";
  if (what.rule != peer_rule::rank) return {};
  if (what.kind == operation_kind::send && what.peer == any) return "a send to any rank";
  if (what.peer >= of.ranks() && what.peer != any)
    return fmt::format("{}: there are {} ranks", text_of(of, what, 0), of.ranks());
  return {};
}

void check_rank(const program& of, std::uint32_t rank, const std::vector<bool>& pairs_ranks) {
  const std::uint32_t which = of.template_of[rank];
  if (which >= of.templates.size())
    throw usage_error(fmt::format("rank {}: there is no template {}", rank, which));
  if (!pairs_ranks[which]) return;
  for (const operation& what : of.templates[which].operations)
    if (what.kind != operation_kind::calculation && peer_of(of, what, rank) >= of.ranks() &&
        what.rule == peer_rule::exclusive_or)
      throw usage_error(fmt::format("rank {}: {}: there are {} ranks", rank,
                                    text_of(of, what, rank), of.ranks()));
}

}  // namespace

std::vector<std::uint32_t> rank_template::unmet(bool with_earlier_iteration) const {
  std::vector<std::uint32_t> counts(operations.size(), 0);
  for (const edge_list* list : {&after_end, &after_start})
    for (const dependent& edge : list->edges)
      if (with_earlier_iteration || !edge.next_iteration()) ++counts[edge.operation()];
  return counts;
}

std::uint32_t template_builder::add(const operation& added, std::uint32_t line) {
  PLAIT_EXPECTS(built_.size() + 1 < too_many_operations, "too many operations");
  built_.operations.push_back(added);
  if (line > 0) built_.lines.push_back(line);
  return built_.size() - 1;
}

void template_builder::require(std::uint32_t later, std::uint32_t earlier,
                               bool of_previous_iteration) {
  PLAIT_EXPECTS(later < size() && earlier < size(), fmt::format("{} after {}", later, earlier));
  after_end_.emplace_back(earlier, dependent(later, of_previous_iteration));
}

void template_builder::irequire(std::uint32_t later, std::uint32_t earlier,
                                bool of_previous_iteration) {
  PLAIT_EXPECTS(later < size() && earlier < size(), fmt::format("{} after {}", later, earlier));
  after_start_.emplace_back(earlier, dependent(later, of_previous_iteration));
}

rank_template template_builder::build() {
  built_.after_end = in_rows(built_.size(), after_end_);
  built_.after_start = in_rows(built_.size(), after_start_);
  if (built_.lines.size() != built_.operations.size()) built_.lines.clear();
  after_end_.clear();
  after_start_.clear();
  return std::exchange(built_, {});
}

std::uint64_t program::operations() const {
  std::uint64_t sum = 0;
  for (const std::uint32_t which : template_of) sum += templates[which].size();
  return sum * iterations;
}

std::uint32_t peer_of(const program& of, const operation& what, std::uint32_t rank) {
  switch (what.rule) {
    case peer_rule::rank:
      return what.peer;
    case peer_rule::shift:
      return shifted(rank, what.peer, of.ranks());
    case peer_rule::exclusive_or:
      return rank ^ what.peer;
    case peer_rule::grid_step:
      return step_of(of, of.steps[what.peer], rank);
  }
  return what.peer;
}

std::uint64_t duration_of(const program& of, const operation& what, std::uint32_t number,
                          std::uint32_t rank, std::uint32_t iteration) {
  std::uint64_t duration = what.size;
  if (what.duration != duration_rule::constant) {
    const std::vector<std::uint64_t>& those = of.samples[what.samples];
    const std::uint64_t at =
        what.duration == duration_rule::listed
            ? iteration
            : mixed(mixed(of.seed + rank) ^ ((std::uint64_t{iteration} << 32) + number));
    duration = those[at % those.size()];
  }
  if (of.pace.empty()) return duration;
  const std::uint64_t pace = of.pace[rank];  // in two parts: the product may not fit
  return duration / 1'000'000 * pace + duration % 1'000'000 * pace / 1'000'000;
}

void check(const program& checked) {
  if (checked.names.empty()) throw usage_error("the program has no list of names");
  if (checked.template_of.size() >= any) throw usage_error("the program has too many ranks");
  if (checked.iterations == 0) throw usage_error("the program has no iteration");
  if (!checked.pace.empty() && checked.pace.size() != checked.template_of.size())
    throw usage_error(fmt::format("{} ranks have {} paces", checked.ranks(), checked.pace.size()));
  std::uint64_t places = 1;
  for (const std::uint32_t extent : checked.grid) {
    if (extent == 0) throw usage_error("the grid has no place");
    places = std::min<std::uint64_t>(places * extent, any);
  }
  if (!checked.steps.empty() && places != checked.ranks())
    throw usage_error(fmt::format("{} ranks do not fill the grid", checked.ranks()));
  std::vector<bool> pairs_ranks;  // of each template: whether its peers depend on the rank's bits
  for (std::size_t number = 0; number < checked.templates.size(); ++number) {
    const rank_template& one = checked.templates[number];
    if (one.operations.size() >= too_many_operations)
      throw usage_error(fmt::format("template {} has too many operations", number));
    check_edges(one, one.after_end, number);
    check_edges(one, one.after_start, number);
    for (std::size_t at = 0; at < one.operations.size(); ++at)
      if (const std::string fault = fault_of(checked, one.operations[at]); !fault.empty())
        throw usage_error(fmt::format("template {}, operation {}: {}", number, at, fault));
    pairs_ranks.push_back(std::ranges::any_of(one.operations, [](const operation& what) {
      return what.kind != operation_kind::calculation && what.rule == peer_rule::exclusive_or;
    }));
  }
  for (std::uint32_t rank = 0; rank < checked.ranks(); ++rank)
    check_rank(checked, rank, pairs_ranks);
}

std::string text_of(const program& of, const operation& what, std::uint32_t rank) {
  if (what.kind == operation_kind::calculation) return fmt::format("calc {}", what.size);
  const auto number = [](std::uint32_t value) {
    return value == any ? std::string("-1") : std::to_string(value);
  };
  const bool sends = what.kind == operation_kind::send;
  return fmt::format("{} {}b {} {} tag {}", sends ? "send" : "recv", what.size,
                     sends ? "to" : "from", number(peer_of(of, what, rank)), number(what.tag));
}

}  // namespace plait::simulate
