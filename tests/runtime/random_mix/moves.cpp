// SPDX-License-Identifier: BSD-3-Clause
// Moves in mixed programs, between arrays whose blocks tasks touch as bytes: ghosts, cells dealt to
// another array and back, elements fetched by their indices, and what is added to them.
#include <utility>

#include <plait/array/block_cyclic.hpp>
#include <plait/mover/index_lists.hpp>

#include "statement.hpp"

namespace plait::test::mix {
namespace {

constexpr std::array both{axis::x, axis::y};

/// The plans of a job, after those of its `ghost_rule`s.
enum move_rule : std::size_t { first_ghosts, second_ghosts, deal, take_back, fetch, give, moves };

[[nodiscard]] rank_memory& memory_of(job_memory& job, int rank) {
  return *job[static_cast<std::size_t>(rank)];
}

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
    switch (rule_) {
      case deal:
      case take_back:
        return apply_deal(job);
      case fetch:
      case give:
        return apply_lists(job);
      default:
        return apply_ghosts(job);
    }
  }

  void apply_deal(job_memory& job) const {
    for_each_cell(array_.tiles.global(), [&](const point<2>& cell) {
      const int tile = array_.tiles.block_at(cell);
      const int dealt = array_.dealt.block_at(cell);
      word& one = memory_of(job, array_.tiles.rank_of(tile)).blocks.block(tile)[cell];
      word& other = memory_of(job, array_.dealt.rank_of(dealt)).dealt.block(dealt)[cell];
      rule_ == deal ? other = one : one = other;
    });
  }

  void apply_lists(job_memory& job) const {
    for (std::size_t rank = 0; rank < array_.listed.size(); ++rank) {
      for (std::size_t k = 0; k < array_.listed[rank].size(); ++k) {
        const point<1>& cell = array_.listed[rank][k];
        const int id = array_.along.block_at(cell);
        word& element = memory_of(job, array_.along.rank_of(id)).along.block(id)[cell];
        word& value = job[rank]->values[k];
        rule_ == fetch ? value = element : element += value;
      }
    }
  }

  void apply_ghosts(job_memory& job) const {
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
    const std::array<const char*, moves> names{"move by rule 0",  "move by rule 1", "move: deal",
                                               "move: take back", "move: fetch",    "move: give"};
    return names[rule_];
  }

 private:
  [[nodiscard]] const ghost_rule& rule() const { return array_.rules[rule_]; }
  [[nodiscard]] cells& blocks_of_owner(job_memory& job, int block) const {
    return memory_of(job, array_.tiles.rank_of(block)).blocks;
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

namespace {

[[nodiscard]] std::vector<std::vector<point<1>>> random_lists(generator& g, std::int64_t elements,
                                                              int ranks) {
  std::vector<std::vector<point<1>>> lists(static_cast<std::size_t>(ranks));
  for (auto& listed : lists) {
    for (std::size_t n = g.chance(0.2) ? 0 : g.between(1, 30); n > 0; --n) {
      const bool next = !listed.empty() && g.chance(0.5);
      const std::int64_t index =
          next ? listed.back()[axis::x] + 1
               : static_cast<std::int64_t>(g.below(static_cast<std::size_t>(elements)));
      listed.push_back(point<1>(index % elements));
    }
  }
  return lists;
}

}  // namespace

moved_array random_array(generator& g, int ranks) {
  const auto extent = [&](std::size_t most) {
    return static_cast<std::int64_t>(g.between(static_cast<std::size_t>(ranks) * 2, most));
  };
  decomposition_options<2> options{.global = {extent(14), extent(12)},
                                   .ghosts = static_cast<std::int64_t>(g.between(1, 2)),
                                   .periodic = {g.chance(0.5), g.chance(0.5)}};
  if (g.chance(0.3)) options.blocks_per_rank = {2, 1};
  const block_cyclic_options<2> dealt{
      .global = options.global,
      .block = {static_cast<std::int64_t>(g.between(3, 7)),
                static_cast<std::int64_t>(g.between(3, 9))},
      .order = g.chance(0.5) ? grid_order::row_major : grid_order::column_major};
  const auto elements = static_cast<std::int64_t>(g.between(20, 40));
  const auto along = g.chance(0.5)
                         ? decompose<1>({.global = elements}, ranks)
                         : decompose(block_cyclic<1>({.global = elements, .block = 6}, ranks));
  moved_array array{{decompose<2>(options, ranks), decompose(block_cyclic<2>(dealt, ranks)), along,
                     random_lists(g, elements, ranks)},
                    {}};
  for (ghost_rule& rule : array.rules) {
    rule.reach = g.one_of({ghost_reach::faces, ghost_reach::all});
    rule.has_boundary = g.chance(0.3);
    rule.message = g.one_of({messages_per::rank, messages_per::box});
  }
  return array;
}

std::vector<move_plan> plans_of(environment& env, const moved_array& array, rank_memory& memory) {
  std::vector<move_plan> plans;
  for (const ghost_rule& rule : array.rules) {
    ghost_options<word, 2> options{.reach = rule.reach};
    if (rule.has_boundary) options.boundary = behind_boundary;
    options.message = rule.message;
    plans.push_back(ghosts_of(memory.blocks, options));
  }
  plans.push_back(redistribution(memory.blocks, memory.dealt));
  plans.push_back(redistribution(memory.dealt, memory.blocks));
  const index_lists needed(env, array.along, array.listed[static_cast<std::size_t>(env.rank())]);
  plans.push_back(gathering(memory.along, needed, memory.values));
  plans.push_back(scatter_adding(memory.values, needed, memory.along));
  return plans;
}

statement_ptr random_move(generator& g, const scene& s) {
  return std::make_unique<move_statement>(s, g.below(moves));
}

}  // namespace plait::test::mix
