// SPDX-License-Identifier: BSD-3-Clause
// Random tasks: what they access.  What they do: task_body.cpp.
#include "planned_task.hpp"

#include <algorithm>
#include <utility>

namespace plait::test::mix {
namespace {

constexpr int most_generations = 3;

[[nodiscard]] planned_reduction random_reduction(generator& g, const area& of) {
  using operation = planned_reduction::operation;
  planned_reduction r;
  r.of_words = g.chance(0.7);
  r.by = g.one_of({operation::sum, operation::minimum, operation::maximum, operation::product});
  const std::size_t size = r.of_words ? sizeof(word) : 1;
  const std::size_t first = (of.begin + size - 1) / size;
  const std::size_t elements = of.end / size - std::min(first, of.end / size);
  // Often the same few: side by side they run only where the elements are.
  r.count = std::min(elements, g.chance(0.6) ? std::size_t{6} : g.below(9));
  const std::size_t places = elements - r.count + 1;
  r.begin = (first + (g.chance(0.6) ? places / 4 * g.below(3) : g.below(places))) * size;
  return r;
}

/// Reducing and commuting in one place is neither.
[[nodiscard]] bool may_reduce(const planned_task& task, const planned_reduction& r) {
  return std::ranges::none_of(task.accesses, [&r](const planned_access& a) {
    return a.mode == access_mode::commutative && overlap(a.where, r.where());
  });
}

/// A child may do no more than its parent has declared.
void narrow(planned_task& child, access_mode to) {
  if (writes(to) && to != access_mode::commutative) return;
  for (planned_access& a : child.accesses) a.mode = to;
  child.reduces.reset();
  child.children.clear();
}

void add_children(generator& g, planned_task& parent, bool few_children, int depth) {
  std::vector<const planned_access*> ranges;
  for (const planned_access& a : parent.accesses) {
    if (!a.as_box && !a.where.where.empty()) ranges.push_back(&a);
  }
  if (ranges.empty()) return;
  for (std::size_t n = g.between(1, 5); n > 0; --n) {
    const planned_access& within = *ranges[g.below(ranges.size())];
    const byte_range hull = within.where.where.hull();
    const area whole{within.where.region, hull.begin, hull.end};
    planned_task child = random_task(g, std::span(&whole, 1), few_children, depth + 1);
    narrow(child, within.mode);
    parent.children.push_back(std::move(child));
  }
}

}  // namespace

std::vector<area> areas_of(const scene& s, int rank) {
  const auto words = [](std::size_t first, std::size_t end) {
    return area{arena_region, first * sizeof(word), end * sizeof(word)};
  };
  std::vector<area> all{words(0, arena::general_words),
                        words(arena::staged(0, s.ranks), arena::words(s.ranks))};
  const auto& regions = s.region_bytes[static_cast<std::size_t>(rank)];
  for (std::size_t i = 1; i < regions.size(); ++i) all.push_back({i, 0, regions[i]});
  for (int source = 0; source < s.ranks; ++source) {
    const auto& given = s.given[static_cast<std::size_t>(rank)][static_cast<std::size_t>(source)];
    if (!given.has_value()) continue;
    all.insert(all.end(), 2, words(arena::slot(source), arena::slot(source + 1)));
  }
  return all;
}

piece random_range(generator& g, const area& of) {
  const std::size_t begin = of.begin + g.below(of.end - of.begin);
  const std::size_t longest = of.end - begin;
  const std::size_t usual = g.chance(0.2) ? longest : std::min<std::size_t>(longest, 24);
  const std::size_t size = g.chance(0.06) ? 0 : g.between(1, usual);
  return {of.region, strided_bytes::of({begin, begin + size})};
}

std::optional<piece> random_rows(generator& g, const area& of) {
  strided_bytes at{.begin = 0, .row_bytes = g.chance(0.05) ? 0 : g.between(1, 10)};
  std::int64_t lowest = 0;
  auto end = static_cast<std::int64_t>(at.row_bytes);
  std::int64_t apart = end + static_cast<std::int64_t>(g.below(7));
  const std::size_t used = g.between(1, 3);
  for (std::size_t k = 0; k < used; ++k) {
    const auto rows = static_cast<std::int64_t>(g.between(1, 5));
    std::int64_t stride = g.chance(0.12) ? static_cast<std::int64_t>(g.below(30)) - 9 : apart;
    if (g.chance(0.1)) stride = -stride;
    at.axes[k] = {rows, stride};
    (stride < 0 ? lowest : end) += (rows - 1) * stride;
    apart = apart * rows + static_cast<std::int64_t>(g.below(9));
  }
  const auto room = static_cast<std::int64_t>(of.end - of.begin) - (end - lowest);
  if (room < 0) return std::nullopt;
  if (g.chance(0.15)) std::swap(at.axes[0], at.axes[1]);
  at.begin =
      of.begin + static_cast<std::size_t>(-lowest) + g.below(static_cast<std::size_t>(room) + 1);
  return piece{of.region, at};
}

planned_access random_access(generator& g, const area& of) {
  planned_access a;
  a.mode = g.one_of({access_mode::in, access_mode::out, access_mode::inout,
                     access_mode::commutative, access_mode::commutative});
  if (g.chance(0.45)) {
    if (const auto rows = random_rows(g, of); rows.has_value()) {
      a.where = *rows;
      a.as_box = true;
      return a;
    }
  }
  a.where = random_range(g, of);
  return a;
}

planned_task random_task(generator& g, std::span<const area> areas, bool few_children, int depth) {
  planned_task task;
  task.salt = g.bits();
  task.returns = static_cast<int>(g.below(1'000'000));
  task.urgency = g.one_of({priority::high, priority::normal, priority::low});
  task.passes_first = g.chance(0.5);
  if (g.chance(0.25)) task.target = g.below(resource_kinds);
  if (g.chance(0.25)) task.target = target_anyone;
  task.is_held = g.chance(0.33);
  if (g.chance(0.08)) task.spin_us = static_cast<int>(g.between(1, 15));
  for (std::size_t n = g.one_of({0, 1, 1, 2, 2, 3, 4}); n > 0; --n) {
    task.accesses.push_back(random_access(g, areas[g.chance(0.5) ? 0 : g.below(areas.size())]));
  }
  if (areas[0].region == arena_region && g.chance(0.2)) {
    const planned_reduction r = random_reduction(g, areas[0]);
    if (may_reduce(task, r)) task.reduces = r;
    if (task.reduces.has_value()) task.is_held = false;
  }
  if (depth < most_generations && !task.reduces.has_value() && g.chance(few_children ? 0.05 : 0.2))
    add_children(g, task, few_children, depth);
  return task;
}

std::vector<touch> touches_of(const planned_task& task) {
  std::vector<touch> all;
  for (const planned_access& a : task.accesses) all.push_back({a.where, writes(a.mode)});
  if (task.reduces.has_value()) all.push_back({task.reduces->where(), true});
  return all;
}

std::vector<std::size_t> hand_overs_of(const planned_task& task, const scene& s, int rank) {
  std::vector<std::size_t> all;
  for (int source = 0; source < s.ranks; ++source) {
    const auto& given = s.given[static_cast<std::size_t>(rank)][static_cast<std::size_t>(source)];
    const piece slot = words_at(arena::slot(source), arena::slot_words);
    const bool touched = std::ranges::any_of(
        touches_of(task), [&slot](const touch& t) { return overlap(t.where, slot); });
    if (given.has_value() && touched) all.push_back(*given);
  }
  return all;
}

std::string to_string(const planned_task& task) {
  static constexpr const char* modes[] = {"", "in", "out", "inout", "commutative", "reduce"};
  std::string text = task.is_held ? "held, " : "";
  text += task.passes_first ? "task, first access passed:" : "task:";
  if (task.target == target_anyone) text = "for anyone, " + text;
  if (task.target < no_target) text = "on resource " + std::to_string(task.target) + ", " + text;
  for (const planned_access& a : task.accesses) {
    text.append(" ").append(modes[static_cast<std::size_t>(a.mode)]).append("(");
    text.append(to_string(a.where)).append(a.as_box ? " as a box)" : ")");
  }
  if (task.reduces.has_value()) {
    static constexpr const char* operations[] = {"sum", "minimum", "maximum", "product"};
    text.append(" reduce<").append(operations[static_cast<std::size_t>(task.reduces->by)]);
    text.append(task.reduces->of_words ? ">(words of " : ">(bytes of ");
    text.append(to_string(task.reduces->where())).append(")");
  }
  for (const planned_task& child : task.children) {
    text.append(" { ").append(to_string(child)).append(" }");
  }
  return text;
}

namespace {

class computation final : public statement {
 public:
  computation(int rank, planned_task task) : rank_(rank), task_(std::move(task)) {}

  void apply(job_memory& job) const override {
    run_serially(*job[static_cast<std::size_t>(rank_)], task_);
  }
  void submit(live_rank& here) const override { mix::submit(here.rt, here.memory, task_); }
  [[nodiscard]] bool takes_part(int rank) const override { return rank == rank_; }
  [[nodiscard]] std::vector<touch> touches(int) const override { return touches_of(task_); }
  [[nodiscard]] std::string text() const override {
    return "rank " + std::to_string(rank_) + ": " + to_string(task_);
  }
  [[nodiscard]] bool may_move() const override { return true; }

 private:
  int rank_;
  planned_task task_;
};

}  // namespace

statement_ptr random_computation(generator& g, const scene& s) {
  const int rank = s.any_rank(g);
  const std::vector<area> areas = areas_of(s, rank);
  planned_task task = random_task(g, areas, s.few_children);
  std::vector<std::size_t> needs = hand_overs_of(task, s, rank);
  auto made = std::make_unique<computation>(rank, std::move(task));
  made->needs = std::move(needs);
  return made;
}

}  // namespace plait::test::mix
