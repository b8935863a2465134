// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/sensitivity.hpp>

#include "frozen_order.hpp"
#include "plain_engine.hpp"
#include "unrolled_program.hpp"

namespace plait::simulate {
namespace {

/// Adds to a path what `added` contributes.
void add_term(path_terms& terms, const time_operand& added) {
  const auto amount = static_cast<std::int64_t>(added.amount);
  switch (added.term) {
    case time_term::none:
      break;
    case time_term::calculation:
      terms.computation_ns += added.amount;
      break;
    case time_term::send_cpu:
    case time_term::receive_cpu:
      terms.o += 1;
      terms.O += amount;
      break;
    case time_term::card:
      terms.g += 1;
      terms.G += amount;
      break;
    case time_term::wire:
      terms.o += 1;
      terms.L += 1;
      break;
    case time_term::receive_bytes:
      terms.o += 1;
      terms.G += amount;
      break;
  }
}

[[nodiscard]] const char* name_of(time_term term) {
  constexpr std::array names{"", "calc", "send", "card", "wire", "receive", "receive"};
  return names[static_cast<std::size_t>(term)];
}

void refuse_too_large(const program& what) {
  if (what.operations() > most_explained_operations)
    throw usage_error(fmt::format("{} operations; the longest path of up to {} is followed",
                                  what.operations(), most_explained_operations));
}

/// Follows the operands that won, backwards from the end.
void follow(const program& what, const frozen_order& order, explanation& all) {
  std::map<std::uint32_t, std::uint64_t> by_name;
  for (std::uint32_t time = order.finish[all.last_rank]; time != 0;) {
    const time_operand& won = order.winner(time);
    add_term(all.terms, won);
    if (won.term != time_term::none)
      all.path.push_back(
          {won.rank, won.number, order.value(won.time), order.value(time), name_of(won.term)});
    if (won.term == time_term::calculation) {
      const rank_template& of = what.of_rank(won.rank);
      by_name[of.operations[won.number % of.size()].name] += won.amount;
    }
    time = won.time;
  }
  std::ranges::reverse(all.path);
  for (const auto& [name, ns] : by_name) all.computation.push_back({what.names[name], ns});
  std::ranges::stable_sort(all.computation, std::ranges::greater{}, &named_computation::ns);
}

/// A constraint of a linear program: `time` is no earlier than `operand`.
void write_operand(std::string& text, std::uint32_t time, const time_operand& operand) {
  path_terms terms;
  add_term(terms, operand);
  auto out = std::back_inserter(text);
  fmt::format_to(out, " t{}", time);
  if (operand.time != 0) fmt::format_to(out, " - t{}", operand.time);
  // Names of variables are compared without regard to case by some readers.
  const std::pair<const char*, std::int64_t> counts[] = {{"latency", terms.L},
                                                         {"overhead", terms.o},
                                                         {"gap", terms.g},
                                                         {"gap_of_byte", terms.G},
                                                         {"overhead_of_byte", terms.O}};
  for (const auto& [name, count] : counts)
    if (count != 0) fmt::format_to(out, " - {} {}", count, name);
  fmt::format_to(out, " >= {}\n", terms.computation_ns);
}

}  // namespace

std::uint64_t path_terms::time_ns(const loggops_parameters& network) const {
  const auto times = [](std::int64_t count, std::uint64_t parameter) {
    return static_cast<std::uint64_t>(count) * parameter;  // wraps where the times do
  };
  return times(L, network.L) + times(o, network.o) + times(g, network.g) + times(G, network.G) +
         times(O, network.O) + computation_ns;
}

std::string_view to_string(limiter what) {
  constexpr std::array names{"computation", "latency", "bytes", "overhead", "gap"};
  return names[static_cast<std::size_t>(what)];
}

limiter limiter_of(const path_terms& terms, const loggops_parameters& network) {
  const auto part = [](std::int64_t count, std::uint64_t parameter) {
    return static_cast<double>(count) * static_cast<double>(parameter);
  };
  const std::array parts{
      static_cast<double>(terms.computation_ns), part(terms.L, network.L), part(terms.G, network.G),
      part(terms.o, network.o) + part(terms.O, network.O), part(terms.g, network.g)};
  return static_cast<limiter>(std::ranges::max_element(parts) - parts.begin());
}

explanation explain(const program& what, const loggops_parameters& network) {
  check(what);
  refuse_too_large(what);
  const unrolled_program unrolled(what);
  frozen_order order;
  explanation all;
  all.outcome = plain_engine(unrolled, network, &order).run();
  const auto& finish = all.outcome.finish_ns;
  if (finish.empty()) return all;
  all.last_rank = static_cast<std::uint32_t>(std::ranges::max_element(finish) - finish.begin());
  follow(what, order, all);
  return all;
}

std::string linear_program(const program& what, const loggops_parameters& network) {
  check(what);
  refuse_too_large(what);
  for (const rank_template& one : what.templates)
    for (const operation& each : one.operations)
      if (each.kind != operation_kind::calculation && each.size == 0)
        throw usage_error("a message of 0 bytes makes times wrap: there is no linear program");
  const unrolled_program unrolled(what);
  frozen_order order;
  static_cast<void>(plain_engine(unrolled, network, &order).run());
  std::string text = "Minimize\n obj: makespan\nSubject To\n";
  auto out = std::back_inserter(text);
  for (std::uint32_t time = 1; time < order.times(); ++time)
    for (const time_operand* one = order.begin(time); one != order.end(time); ++one)
      write_operand(text, time, *one);
  for (const std::uint32_t last : order.finish)
    if (last != 0) fmt::format_to(out, " makespan - t{} >= 0\n", last);
  fmt::format_to(out,
                 "Bounds\n latency = {}\n overhead = {}\n gap = {}\n gap_of_byte = {}\n"
                 " overhead_of_byte = {}\nEnd\n",
                 network.L, network.o, network.g, network.G, network.O);
  return text;
}

}  // namespace plait::simulate
