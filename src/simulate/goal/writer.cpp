// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <iterator>

#include <fmt/format.h>
#include <plait/simulate/goal.hpp>

#include "binary_reader.hpp"

namespace plait::simulate {
namespace {

/// Duration in ns: LogGOPSim's unit.
[[nodiscard]] std::uint64_t nanoseconds(const program& of, std::uint64_t duration) {
  const std::uint64_t unit = of.unit_ps;
  return duration / 1000 * unit + duration % 1000 * unit / 1000;
}

/// Operation `number` of all iterations, as `rank` runs it: peer and duration are what they are.
[[nodiscard]] operation settled(const program& of, const rank_template& one, std::uint32_t number,
                                std::uint32_t rank) {
  operation what = one.operations[number % one.size()];
  if (what.kind == operation_kind::calculation) {
    what.size =
        nanoseconds(of, duration_of(of, what, number % one.size(), rank, number / one.size()));
  } else {
    what.peer = peer_of(of, what, rank);
  }
  return what;
}

void write_rank(const program& written, std::uint32_t rank, std::string& text) {
  const rank_template& one = written.of_rank(rank);
  const rank_template all = unrolled(one, written.iterations);
  auto out = std::back_inserter(text);
  fmt::format_to(out, "\nrank {} {{\n", rank);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (written.iterations > 1 && i % one.size() == 0)
      fmt::format_to(out, "/* iteration {} */\n", i / one.size());
    const operation what = settled(written, one, i, rank);
    if (what.name != 0) fmt::format_to(out, "// {}\n", written.names[what.name]);
    operation plain = what;
    plain.rule = peer_rule::rank;
    fmt::format_to(out, "l{}: {}", i + 1, text_of(written, plain, rank));
    if (what.cpu != 0) fmt::format_to(out, " cpu {}", what.cpu);
    if (what.nic != 0) fmt::format_to(out, " nic {}", what.nic);
    text += '\n';
  }
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    for (const dependent& later : all.after_end.of(i))
      fmt::format_to(out, "l{} requires l{}\n", later.operation() + 1, i + 1);
    for (const dependent& later : all.after_start.of(i))
      fmt::format_to(out, "l{} irequires l{}\n", later.operation() + 1, i + 1);
  }
  text += "}\n";
}

template <class Number>
void put(std::string& data, Number value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  data.append(raw, sizeof value);
}

void put_rank(const program& written, std::uint32_t rank, std::string& data) {
  const rank_template& one = written.of_rank(rank);
  const rank_template all = unrolled(one, written.iterations);
  const std::vector<std::uint32_t> unmet = all.unmet(false);
  put(data, all.size());
  std::string roots;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (unmet[i] == 0) put(roots, i);
  put(data, static_cast<std::uint32_t>(roots.size() / sizeof(std::uint32_t)));
  data += roots;
  std::string places;
  std::uint32_t edges = 0;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const operation what = settled(written, one, i, rank);
    put(data, unmet[i]);
    put(data, static_cast<std::uint8_t>(what.kind));
    put(data, what.peer);
    put(data, what.size);
    put(data, what.tag);
    put(data, what.cpu);
    put(data, what.nic);
    for (const edge_list* list : {&all.after_end, &all.after_start}) {
      const auto those = list->of(i);
      put(data, static_cast<std::uint32_t>(those.size()));
      put(data, edges);
      edges += static_cast<std::uint32_t>(those.size());
      for (const dependent& later : those) put(places, later.operation());
    }
  }
  data += places;
}

}  // namespace

std::string goal_text(const program& written) {
  std::string text = fmt::format("num_ranks {}\n", written.ranks());
  for (std::uint32_t rank = 0; rank < written.ranks(); ++rank) write_rank(written, rank, text);
  return text;
}

std::string goal_binary(const program& written) {
  std::uint8_t last_cpu = 0;
  std::uint8_t last_nic = 0;
  for (const rank_template& one : written.templates) {
    for (const operation& what : one.operations) {
      last_cpu = std::max(last_cpu, what.cpu);
      last_nic = std::max(last_nic, what.nic);
    }
  }
  std::string data;
  put(data, binary_form::magic);
  put(data, written.ranks());
  put(data, last_cpu);
  put(data, last_nic);
  const std::size_t table = data.size();
  data.resize(table + written.ranks() * binary_form::rank_bytes);
  for (std::uint32_t rank = 0; rank < written.ranks(); ++rank) {
    std::uint64_t part[2] = {data.size() - binary_form::magic_bytes, 0};
    put_rank(written, rank, data);
    part[1] = data.size() - binary_form::magic_bytes;
    std::memcpy(data.data() + table + rank * binary_form::rank_bytes, part, sizeof part);
  }
  return data;
}

rank_template unrolled(const rank_template& one, std::uint32_t iterations) {
  template_builder all;
  for (std::uint32_t i = 0; i < iterations; ++i)
    for (std::uint32_t at = 0; at < one.size(); ++at)
      all.add(one.operations[at], one.lines.empty() ? 0 : one.lines[at]);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    for (std::uint32_t at = 0; at < one.size(); ++at) {
      const auto later = [&](const dependent& edge) {
        return (i + (edge.next_iteration() ? 1 : 0)) * one.size() + edge.operation();
      };
      for (const dependent& edge : one.after_end.of(at))
        if (i + 1 < iterations || !edge.next_iteration())
          all.require(later(edge), i * one.size() + at);
      for (const dependent& edge : one.after_start.of(at))
        if (i + 1 < iterations || !edge.next_iteration())
          all.irequire(later(edge), i * one.size() + at);
    }
  }
  return all.build();
}

}  // namespace plait::simulate
