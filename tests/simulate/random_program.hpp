// SPDX-License-Identifier: BSD-3-Clause
/// Random programs that run to their end, for tests.
///
/// Operations have a place in one order; they depend on earlier ones of their rank, and both ends
/// of a message have one place, so there is no cycle, with rendezvous either.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include <plait/simulate/program.hpp>

namespace plait::test {

struct random_shape {
  std::uint32_t most_ranks = 6;
  std::uint32_t most_places = 120;
  bool any_source = false;    ///< eager sizes only
  bool many_at_once = false;  ///< more than 16 operations become ready by one event
  bool few_times = false;     ///< few sizes and durations: many events at one time
};

class random_program_maker {
 public:
  random_program_maker(std::uint64_t seed, const random_shape& shape)
      : random_(seed), shape_(shape) {}

  [[nodiscard]] simulate::program make() {
    ranks_ = below(shape_.most_ranks - 1) + 2;
    built_.resize(ranks_);
    const std::uint32_t places = below(shape_.most_places) + 10;
    for (std::uint32_t place = 0; place < places; ++place) {
      if (below(3) == 0) {
        calculate(below(ranks_));
      } else {
        message(place);
      }
    }
    simulate::program made;
    for (simulate::template_builder& one : built_) {
      made.template_of.push_back(static_cast<std::uint32_t>(made.templates.size()));
      made.templates.push_back(one.build());
    }
    return made;
  }

 private:
  [[nodiscard]] std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }
  [[nodiscard]] std::uint64_t one_of(std::initializer_list<std::uint64_t> those) {
    return those.begin()[below(static_cast<std::uint32_t>(those.size()))];
  }

  void calculate(std::uint32_t rank) {
    simulate::operation what;
    what.size = shape_.few_times ? one_of({1000, 2500}) : one_of({0, 1, 700, 12345, 100000});
    add(rank, what);
  }

  void message(std::uint32_t place) {
    const std::uint32_t from = below(ranks_);
    const std::uint32_t to = (from + 1 + below(ranks_ - 1)) % ranks_;
    simulate::operation what;
    what.kind = simulate::operation_kind::send;
    what.size = shape_.any_source  ? 100
                : shape_.few_times ? one_of({1, 1000})
                                   : one_of({1, 64, 4096, 65535, 65536, 200000});
    what.peer = to;
    what.tag = shape_.any_source ? to : place;
    add(from, what);
    what.kind = simulate::operation_kind::receive;
    what.peer = shape_.any_source ? simulate::any : from;
    add(to, what);
  }

  void add(std::uint32_t rank, const simulate::operation& what) {
    simulate::template_builder& own = built_[rank];
    const std::uint32_t before = own.size();
    const std::uint32_t number = own.add(what);
    if (before == 0) return;
    if (shape_.many_at_once) {  // on the first of a group of forty
      if (before >= 40) own.require(number, before / 40 * 40 - 40);
      return;
    }
    for (std::uint32_t i = below(3); i > 0; --i) {
      const std::uint32_t earlier = before - 1 - below(before < 8 ? before : 8);
      below(4) == 0 ? own.irequire(number, earlier) : own.require(number, earlier);
    }
  }

  std::mt19937_64 random_;
  random_shape shape_;
  std::uint32_t ranks_ = 0;
  std::vector<simulate::template_builder> built_;
};

[[nodiscard]] inline simulate::program random_program(std::uint64_t seed,
                                                      const random_shape& shape = {}) {
  return random_program_maker(seed, shape).make();
}

}  // namespace plait::test
