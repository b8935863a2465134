// SPDX-License-Identifier: BSD-3-Clause
/// Random programs of a line of ranks, for tests: each step is a list of statements that all ranks
/// take, as far as they have the neighbours.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <plait/collective/choice.hpp>
#include <plait/simulate/call_program.hpp>

namespace plait::test {

/// Writes one program for any number of ranks.
class random_slabs {
 public:
  explicit random_slabs(std::uint64_t seed) : random_(seed) {
    const std::uint32_t count = 2 + below(12);
    for (std::uint32_t i = 0; i < count; ++i) {
      statements_.push_back({.is = static_cast<kind>(below(kinds)),
                             .size = 96000 * (1 + below(4)),
                             .shrinks = below(2) == 0,
                             .tag = below(3),
                             .waits_for_start = below(5) == 0,
                             .depends_on_last_but_one = below(3) == 0,
                             .what = operations[below(std::size(operations))]});
    }
  }

  /// Returns the program on so many ranks, which divide 96000.
  [[nodiscard]] simulate::call_program on(std::uint32_t ranks) const {
    simulate::call_program made;
    made.operations.names = {""};
    for (std::uint32_t i = 0; i < statements_.size(); ++i)
      made.operations.names.push_back("statement " + std::to_string(i) + " of all");
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      made.operations.template_of.push_back(rank);
      made.operations.templates.push_back(rank_of(rank, ranks, made.calls));
    }
    return made;
  }

 private:
  enum class kind : std::uint8_t { compute, to_above, to_below, around, call };
  static constexpr std::uint32_t kinds = 5;
  using operation = collective::operation;
  static constexpr operation operations[] = {operation::barrier,   operation::bcast,
                                             operation::reduce,    operation::allreduce,
                                             operation::allgather, operation::alltoall};

  struct statement {
    kind is;
    std::uint64_t size;
    bool shrinks;  ///< with the number of ranks
    std::uint32_t tag;
    bool waits_for_start;
    bool depends_on_last_but_one;
    operation what;
  };

  [[nodiscard]] std::uint32_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(
        0, static_cast<std::uint32_t>(limit) - 1)(random_);
  }

  [[nodiscard]] simulate::rank_template rank_of(
      std::uint32_t rank, std::uint32_t ranks,
      std::vector<simulate::collective_call>& calls) const {
    simulate::template_builder built;
    std::vector<std::uint32_t> earlier;
    for (std::uint32_t number = 0; number < statements_.size(); ++number) {
      const statement& one = statements_[number];
      simulate::operation what;
      what.name = number + 1;
      what.size = one.shrinks ? one.size / ranks : one.size;
      std::vector<simulate::operation> all;
      const auto add_message = [&](simulate::operation_kind which, std::uint32_t peer) {
        what.kind = which;
        what.peer = peer;
        what.tag = one.tag;
        all.push_back(what);
      };
      const bool up = one.is != kind::to_below;
      const bool closed = one.is == kind::around;
      switch (one.is) {
        case kind::compute:
          all.push_back(what);
          break;
        case kind::call:
          what.samples = call_of(one, what.size, ranks, calls);
          what.size = 0;
          all.push_back(what);
          break;
        default:
          if (closed || (up ? rank + 1 < ranks : rank > 0))
            add_message(simulate::operation_kind::send, (rank + (up ? 1 : ranks - 1)) % ranks);
          if (closed || (up ? rank > 0 : rank + 1 < ranks))
            add_message(simulate::operation_kind::receive, (rank + (up ? ranks - 1 : 1)) % ranks);
      }
      for (const simulate::operation& next : all) {
        const std::uint32_t added = built.add(next);
        const std::size_t back = one.depends_on_last_but_one ? 2 : 1;
        if (earlier.size() >= back) {
          const std::uint32_t before = earlier[earlier.size() - back];
          one.waits_for_start ? built.irequire(added, before) : built.require(added, before);
        }
        earlier.push_back(added);
      }
    }
    return built.build();
  }

  [[nodiscard]] static std::uint32_t call_of(const statement& one, std::uint64_t count,
                                             std::uint32_t ranks,
                                             std::vector<simulate::collective_call>& calls) {
    simulate::collective_call call;
    call.what = one.what;
    call.count = one.what == operation::barrier ? 0 : count;
    call.how = collective::usual_algorithm(call.shape_on(0, ranks), true);
    for (std::uint32_t i = 0; i < calls.size(); ++i)
      if (calls[i] == call) return i + 1;
    calls.push_back(call);
    return static_cast<std::uint32_t>(calls.size());
  }

  std::mt19937_64 random_;
  std::vector<statement> statements_;
};

}  // namespace plait::test
