// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <utility>

namespace plait::test::mix {
namespace {

/// How often a program draws what; the rest are tasks.
struct shares {
  double messages;
  double collectives;
  double one_sided;
  double moves;
  double stars;
  double containers;
  double waits;
  double counted;
  double lanes;
};

[[nodiscard]] shares random_shares(generator& g, const scene& s) {
  return {.messages = g.chance(0.8) ? 0.25 : 0.05,
          .collectives = g.chance(0.7) ? 0.1 : 0,
          .one_sided = g.chance(0.6) ? 0.12 : 0,
          .moves = g.chance(0.5) ? 0.05 : 0,
          .stars = g.chance(0.6) ? 0.1 : 0,
          .containers = s.with.containers && g.chance(0.5) ? 0.12 : 0,
          .waits = 0.05,
          .counted = g.chance(0.5) ? 0.06 : 0,
          .lanes = g.chance(0.5) ? 0.08 : 0};
}

[[nodiscard]] statement_ptr random_statement(generator& g, scene& s, const shares& of,
                                             bool may_wait) {
  double drawn = static_cast<double>(g.below(1'000'000)) * 1e-6;
  const auto is = [&drawn](double share) {
    drawn -= share;
    return drawn < 0;
  };
  if (is(of.messages)) return random_message(g, s);
  if (is(of.collectives)) return random_collective(g, s);
  if (is(of.one_sided)) return random_one_sided(g, s);
  if (is(of.moves)) return random_move(g, s);
  if (is(of.stars)) return random_star_task(g, s);
  if (is(of.containers)) return random_container_task(g, s);
  if (is(of.waits) && may_wait) return random_wait(g, s);
  if (is(of.counted)) return random_counted_message(g, s);
  if (is(of.lanes)) return random_lane_tasks(g, s);
  return random_computation(g, s);
}

void add(part& to, scene& s, statement_ptr made) {
  if (made == nullptr) return;
  if (made->number == 0) made->number = s.next_number++;
  to.statements.push_back(std::move(made));
}

/// Slots belong to their sources where an iteration begins.
void take_slots_back(part& to, scene& s) {
  for (int target = 0; target < s.ranks; ++target) {
    for (int source = 0; source < s.ranks; ++source) {
      const auto& given =
          s.given[static_cast<std::size_t>(target)][static_cast<std::size_t>(source)];
      if (given.has_value()) add(to, s, hand_back(source, target, s));
    }
  }
}

[[nodiscard]] bool conflict(const statement& a, const statement& b, int rank) {
  const auto of_b = b.touches(rank);
  return std::ranges::any_of(a.touches(rank), [&](const touch& x) {
    return std::ranges::any_of(
        of_b, [&](const touch& y) { return (x.writes || y.writes) && overlap(x.where, y.where); });
  });
}

void order_statements(part& of, int ranks) {
  of.orders.assign(static_cast<std::size_t>(ranks), {});
  for (std::size_t i = 0; i < of.statements.size(); ++i) {
    for (int rank = 0; rank < ranks; ++rank) {
      if (of.statements[i]->takes_part(rank))
        of.orders[static_cast<std::size_t>(rank)].push_back(i);
    }
  }
}

/// Lets tasks of a rank slip behind what they do not conflict with.
void delay_tasks(generator& g, part& of, int rank) {
  auto& order = of.orders[static_cast<std::size_t>(rank)];
  if (order.size() < 2 || !g.chance(0.5)) return;
  for (std::size_t n = 2 * order.size(); n > 0; --n) {
    const std::size_t at = g.below(order.size() - 1);
    const statement& first = *of.statements[order[at]];
    const statement& second = *of.statements[order[at + 1]];
    if (first.may_move() && !conflict(first, second, rank)) std::swap(order[at], order[at + 1]);
  }
}

[[nodiscard]] part make_part(generator& g, scene& s, const shares& of, std::size_t statements) {
  part made;
  made.iterations = g.chance(0.55) ? g.between(1, 7) : 1;
  made.in_two_replays = g.chance(0.3);
  made.waits_after = g.chance(0.4);
  const bool some_replay = made.iterations > 1 || g.chance(0.3);
  for (int rank = 0; rank < s.ranks; ++rank) {
    made.replays.push_back(some_replay && g.chance(0.7));
  }
  const bool may_wait = std::ranges::none_of(made.replays, [](bool replays) { return replays; });
  for (std::size_t i = 0; i < statements; ++i) add(made, s, random_statement(g, s, of, may_wait));
  take_slots_back(made, s);
  order_statements(made, s.ranks);
  for (int rank = 0; rank < s.ranks; ++rank) delay_tasks(g, made, rank);
  return made;
}

[[nodiscard]] generator generator_of(std::uint64_t seed, int ranks, std::uint64_t purpose) {
  return generator(
      generator(seed * 0x2545F4914F6CDD1DU + static_cast<std::uint64_t>(ranks)).bits() + purpose);
}

}  // namespace

bool part::resizes() const {
  return std::ranges::any_of(statements,
                             [](const auto& s) { return s != nullptr && s->resizes(); });
}

void program::drop(std::vector<std::size_t> numbers) {
  const auto is_dropped = [&numbers](std::size_t number) {
    return std::ranges::find(numbers, number) != numbers.end();
  };
  for (part& p : parts) {
    for (auto& order : p.orders) {
      std::erase_if(order, [&](std::size_t i) {
        const statement& s = *p.statements[i];
        return is_dropped(s.number) || std::ranges::any_of(s.needs, is_dropped);
      });
    }
    // Places in the orders must stay what they are.
    for (auto& s : p.statements) {
      if (is_dropped(s->number) || std::ranges::any_of(s->needs, is_dropped)) s.reset();
    }
  }
}

void program::apply(job_memory& job) const {
  for (const part& p : parts) {
    for (std::uint64_t i = 0; i < p.iterations; ++i) {
      for (const auto& s : p.statements) {
        if (s != nullptr) s->apply(job);
      }
    }
  }
}

program make_program(std::uint64_t seed, const scene& with) {
  generator g = generator_of(seed, with.ranks, 0);
  scene s = with;
  s.few_children = g.chance(0.4);
  s.given.assign(static_cast<std::size_t>(s.ranks),
                 std::vector<std::optional<std::size_t>>(static_cast<std::size_t>(s.ranks)));
  program made;
  made.fill_seed = g.bits();
  const shares of = random_shares(g, s);
  const std::size_t parts = g.between(1, 3);
  const std::size_t statements = g.between(20, 60);
  for (std::size_t i = 0; i < parts; ++i) {
    made.parts.push_back(make_part(g, s, of, std::max<std::size_t>(statements / parts, 1)));
  }
  return made;
}

runtime_options make_options(std::uint64_t seed, int ranks) {
  generator g = generator_of(seed / programs_of_a_runtime, ranks, 1);
  runtime_options o;
  o.tasks.workers = static_cast<int>(g.between(1, 4));
  o.tasks.in_flight = g.one_of<std::size_t>({1, 2, 3, 8, 64, 4096, 4096, 4096});
  // A proxy that spins beside others takes their time slices: seldom.
  o.engine.policy =
      g.chance(0.06)
          ? progress::dedicated
          : g.one_of({progress::automatic, progress::sleeping, progress::workers, progress::none});
  o.engine.worst_delay_s = g.one_of({1e-4, 1.5e-3});
  o.tasks.measured_priorities = g.chance(0.7);
  o.engine.persistent_requests = g.one_of({persistence::where_faster, persistence::always});
  o.engine.disturb = {.seed = g.bits(),
                      .probability = g.one_of({0.0, 0.0, 0.1, 0.5}),
                      .longest_delay_s = g.one_of({2e-5, 2e-4})};
  return o;
}

moved_array make_array(std::uint64_t seed, int ranks) {
  generator g = generator_of(seed / programs_of_a_runtime, ranks, 2);
  return random_array(g, ranks);
}

std::string to_string(const runtime_options& o) {
  return "workers " + std::to_string(o.tasks.workers) + ", policy " +
         std::string(plait::to_string(o.engine.policy)) + ", in_flight " +
         std::to_string(o.tasks.in_flight) + ", disturbance " +
         std::to_string(o.engine.disturb.probability) +
         (o.tasks.measured_priorities ? "" : ", no measured priorities") +
         (o.engine.persistent_requests == persistence::always ? ", persistent requests" : "");
}

}  // namespace plait::test::mix
