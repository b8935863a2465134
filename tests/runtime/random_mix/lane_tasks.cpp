// SPDX-License-Identifier: BSD-3-Clause
// Tasks of mixed programs that send and receive on a lane: one on each of two ranks, or one that
// writes to itself.
#include <algorithm>
#include <array>
#include <utility>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

struct transfer {
  bool from_first = true;
  int tag = 0;
  piece from;
  piece to;
};

class lane_tasks final : public statement {
 public:
  struct side {
    int rank = 0;
    planned_task own;                 ///< before its messages
    std::vector<planned_task> after;  ///< its children, behind them
  };

  lane_tasks(std::size_t on, side first, side second, std::vector<transfer> transfers)
      : on_(on), sides_{std::move(first), std::move(second)}, transfers_(std::move(transfers)) {}

  void apply(job_memory& job) const override {
    const std::size_t count = is_alone() ? 1 : 2;
    const auto memory = [&](std::size_t i) -> rank_memory& {
      return *job[static_cast<std::size_t>(sides_[i].rank)];
    };
    for (std::size_t i = 0; i < count; ++i) run_serially(memory(i), sides_[i].own);
    for (const transfer& t : transfers_) {
      const auto from = bytes_of(memory(t.from_first ? 0 : 1), t.from);
      std::ranges::copy(from, bytes_of(memory(t.from_first ? 1 : 0), t.to).begin());
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (const planned_task& child : sides_[i].after) run_serially(memory(i), child);
    }
  }

  void submit(live_rank& here) const override {
    const auto declare = [&](auto& made) { declare_accesses(made, here); };
    if (side_of(here.rank).own.is_held) {
      auto made = here.rt.task(
          "lane",
          [](lane& via, const lane_tasks* self, rank_memory* memory, runtime* rt, int rank,
             hold until) {
            self->run(via, *memory, *rt, rank);
            release_late(std::move(until), self->side_of(rank).own);
          },
          inout(*here.lanes[on_]), this, &here.memory, &here.rt, here.rank, plait::held);
      return declare(made);
    }
    auto made = here.rt.task(
        "lane",
        [](lane& via, const lane_tasks* self, rank_memory* memory, runtime* rt, int rank) {
          self->run(via, *memory, *rt, rank);
        },
        inout(*here.lanes[on_]), this, &here.memory, &here.rt, here.rank);
    declare(made);
  }

  void declare_accesses(auto& made, live_rank& here) const {
    for (const planned_access& a : side_of(here.rank).own.accesses)
      made.also({address(here.memory, a.where), a.mode});
    for (const transfer& t : transfers_) {
      if (sends(t, here.rank)) made.also({address(here.memory, t.from), access_mode::in});
      if (receives(t, here.rank)) made.also({address(here.memory, t.to), access_mode::inout});
    }
    made.priority(side_of(here.rank).own.urgency);
  }

  [[nodiscard]] bool takes_part(int rank) const override {
    return rank == sides_[0].rank || rank == sides_[1].rank;
  }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    std::vector<touch> all = touches_of(side_of(rank).own);
    for (const transfer& t : transfers_) {
      if (sends(t, rank)) all.push_back({t.from, false});
      if (receives(t, rank)) all.push_back({t.to, true});
    }
    return all;
  }
  [[nodiscard]] std::string text() const override {
    std::string text = "lane " + std::to_string(on_);
    for (const side& one : sides_) {
      text += ", rank " + std::to_string(one.rank) + ": " + to_string(one.own);
      for (const planned_task& child : one.after) text += " { " + to_string(child) + " }";
    }
    for (const transfer& t : transfers_) {
      text += is_alone() ? "; message to the task itself, (" : "; message, (";
      text += to_string(t.from) + (t.from_first ? ") to the second (" : ") to the first (") +
              to_string(t.to) + "), tag " + std::to_string(t.tag);
    }
    return text;
  }

 private:
  [[nodiscard]] bool is_alone() const { return sides_[0].rank == sides_[1].rank; }
  [[nodiscard]] const side& side_of(int rank) const {
    return sides_[rank == sides_[0].rank ? 0 : 1];
  }
  [[nodiscard]] bool sends(const transfer& t, int rank) const {
    return rank == sides_[t.from_first ? 0 : 1].rank;
  }
  [[nodiscard]] bool receives(const transfer& t, int rank) const {
    return rank == sides_[t.from_first ? 1 : 0].rank;
  }

  /// In the task.
  void run(lane& via, rank_memory& memory, runtime& rt, int rank) const {
    const side& mine = side_of(rank);
    run_serially(memory, mine.own);
    for (const transfer& t : transfers_) {
      const int first = sides_[0].rank;
      const int second = sides_[1].rank;
      if (sends(t, rank)) {
        via.send("in a lane", in(bytes_of(memory, t.from)), t.from_first ? second : first, t.tag);
      }
      if (receives(t, rank)) {
        via.recv("in a lane", out(bytes_of(memory, t.to)), t.from_first ? first : second, t.tag);
      }
    }
    for (const planned_task& child : mine.after) mix::submit(rt, memory, child);
  }

  std::size_t on_;
  std::array<side, 2> sides_;
  std::vector<transfer> transfers_;
};

constexpr area general{arena_region, 0, arena::general_words * sizeof(word)};

[[nodiscard]] planned_task childless_task(generator& g, const area& of) {
  planned_task task = random_task(g, std::span(&of, 1), true, 100);
  task.reduces.reset();
  return task;
}

/// Of a task that submits messages.
[[nodiscard]] planned_task ordered_task(generator& g) {
  planned_task task = childless_task(g, general);
  for (planned_access& a : task.accesses) {
    if (a.mode == access_mode::commutative) a.mode = access_mode::inout;
  }
  return task;
}

}  // namespace

statement_ptr random_lane_tasks(generator& g, const scene& s) {
  lane_tasks::side first{s.any_rank(g), ordered_task(g), {}};
  lane_tasks::side second{s.any_rank(g), ordered_task(g), {}};
  const bool is_alone = first.rank == second.rank;
  std::vector<transfer> transfers;
  for (std::size_t n = g.between(1, 4); n > 0; --n) {
    transfer t;
    t.from_first = g.chance(0.5);
    t.tag = static_cast<int>(g.below(2));
    t.from = random_range(g, general);
    const byte_range bytes = t.from.where.hull();
    const std::size_t size = bytes.end - bytes.begin;
    const std::size_t begin = g.below(general.end - size + 1);
    t.to = {arena_region, strided_bytes::of({begin, begin + size})};
    if (is_alone && overlap(t.from, t.to)) continue;
    lane_tasks::side& target = t.from_first ? second : first;
    if (size > 0 && g.chance(0.5)) {
      const area came{arena_region, begin, begin + size};
      (is_alone ? first : target).after.push_back(childless_task(g, came));
    }
    transfers.push_back(t);
  }
  if (transfers.empty()) return nullptr;
  return std::make_unique<lane_tasks>(g.below(lanes), std::move(first), std::move(second),
                                      std::move(transfers));
}

}  // namespace plait::test::mix
