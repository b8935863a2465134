// SPDX-License-Identifier: BSD-3-Clause
// Moves in mixed programs: ghosts of an array whose blocks tasks touch as bytes.
#include <utility>

#include "statement.hpp"

namespace plait::test::mix {
namespace {

constexpr std::array both{axis::x, axis::y};

[[nodiscard]] word behind_boundary(const point<2>& cell) {
  return static_cast<word>(cell[axis::x] * 1000 + cell[axis::y] * 7 + 5);
}

[[nodiscard]] std::int64_t wrapped(std::int64_t at, std::int64_t low, std::int64_t high) {
  const std::int64_t n = high - low;
  return low + ((at - low) % n + n) % n;
}

class move_statement final : public statement {
 public:
  move_statement(const scene& s, std::size_t rule)
      : array_(*s.array), rule_(rule), region_bytes_(s.region_bytes) {}

  void apply(job_memory& job) const override {
    struct change {
      word* at;
      word value;
    };
    std::vector<change> changes;
    for_each_ghost(job, [&](const point<2>& ghost, word* at) {
      if (const std::optional<word> value = value_for(job, ghost)) changes.push_back({at, *value});
    });
    for (const change& c : changes) *c.at = c.value;
  }

  void submit(live_rank& here) const override { here.rt.move(here.moves[rule_]); }
  [[nodiscard]] bool takes_part(int) const override { return true; }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    std::vector<touch> all;
    const auto& bytes = region_bytes_[static_cast<std::size_t>(rank)];
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      all.push_back({{i, strided_bytes::of({0, bytes[i]})}, true});
    }
    return all;
  }
  [[nodiscard]] std::string text() const override {
    return "move by rule " + std::to_string(rule_);
  }

 private:
  [[nodiscard]] const ghost_rule& rule() const { return array_.rules[rule_]; }
  [[nodiscard]] cells& blocks_of_owner(job_memory& job, int block) const {
    return job[static_cast<std::size_t>(array_.tiles.rank_of(block))]->blocks;
  }

  template <class Use>
  void for_each_ghost(job_memory& job, Use use) const {
    for (int id = 0; id < static_cast<int>(array_.tiles.blocks().size()); ++id) {
      const box<2> own = array_.tiles.block(id);
      const auto block = blocks_of_owner(job, id).block(id);
      for_each_cell(array_.tiles.block_with_ghosts(id), [&](const point<2>& p) {
        int outside = 0;
        for (const axis a : both) outside += p[a] < own.low[a] || p[a] >= own.high[a] ? 1 : 0;
        const int most = rule().reach == ghost_reach::faces ? 1 : 2;
        if (outside >= 1 && outside <= most) use(p, block.at(p));
      });
    }
  }

  [[nodiscard]] std::optional<word> value_for(job_memory& job, const point<2>& ghost) const {
    const box<2> all = array_.tiles.global();
    point<2> cell = ghost;
    for (const axis a : both) {
      if (array_.tiles.periodic(a)) cell[a] = wrapped(ghost[a], all.low[a], all.high[a]);
    }
    if (all.contains(cell)) {
      const int owner = array_.tiles.block_at(cell);
      return *blocks_of_owner(job, owner).block(owner).at(cell);
    }
    return rule().has_boundary ? std::optional(behind_boundary(ghost)) : std::nullopt;
  }

  const moved_array& array_;
  std::size_t rule_;
  std::vector<std::vector<std::size_t>> region_bytes_;
};

}  // namespace

moved_array random_array(generator& g, int ranks) {
  const auto extent = [&](std::size_t most) {
    return static_cast<std::int64_t>(g.between(static_cast<std::size_t>(ranks) * 2, most));
  };
  decomposition_options<2> options{.global = {extent(14), extent(12)},
                                   .ghosts = static_cast<std::int64_t>(g.between(1, 2)),
                                   .periodic = {g.chance(0.5), g.chance(0.5)}};
  if (g.chance(0.3)) options.blocks_per_rank = {2, 1};
  moved_array array{decompose<2>(options, ranks), {}};
  for (ghost_rule& rule : array.rules) {
    rule.reach = g.one_of({ghost_reach::faces, ghost_reach::all});
    rule.has_boundary = g.chance(0.3);
    rule.message = g.one_of({messages_per::rank, messages_per::box});
  }
  return array;
}

std::vector<move_plan> plans_of(const moved_array& array, cells& blocks) {
  std::vector<move_plan> plans;
  for (const ghost_rule& rule : array.rules) {
    ghost_options<word, 2> options{.reach = rule.reach};
    if (rule.has_boundary) options.boundary = behind_boundary;
    options.message = rule.message;
    plans.push_back(ghosts_of(blocks, options));
  }
  return plans;
}

statement_ptr random_move(generator& g, const scene& s) {
  return std::make_unique<move_statement>(s, g.below(s.array->rules.size()));
}

}  // namespace plait::test::mix
