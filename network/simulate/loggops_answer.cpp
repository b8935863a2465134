// SPDX-License-Identifier: BSD-3-Clause
#include "loggops_answer.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/scale.hpp>
#include <plait/simulate/sensitivity.hpp>
#include <plait/simulate/what_if.hpp>

namespace plait::network::simulate {
namespace {

using json = nlohmann::ordered_json;
using namespace plait::simulate;

struct parameter {
  const char* name;
  parameter_member member;
  std::int64_t path_terms::*count;
};
constexpr parameter parameters[] = {{"L", &loggops_parameters::L, &path_terms::L},
                                    {"o", &loggops_parameters::o, &path_terms::o},
                                    {"g", &loggops_parameters::g, &path_terms::g},
                                    {"G", &loggops_parameters::G, &path_terms::G},
                                    {"O", &loggops_parameters::O, &path_terms::O}};

[[nodiscard]] std::string left_lines(const loggops_outcome& outcome) {
  std::string lines;
  for (const std::string& line : outcome.left) {
    if (!lines.empty()) lines += '\n';
    lines += line;
  }
  return lines;
}

void add_parts(json& row, const explanation& found, const loggops_parameters& network) {
  json parts{{"computation_s", 1e-9 * static_cast<double>(found.terms.computation_ns)}};
  for (const parameter& one : parameters)
    parts[std::string(one.name) + "_s"] = 1e-9 * static_cast<double>(found.terms.*one.count) *
                                          static_cast<double>(network.*one.member);
  row["parts"] = parts;
  row["limiter"] = to_string(limiter_of(found.terms, network));
  json by_name = json::object();
  for (const named_computation& one : found.computation)
    if (!one.name.empty()) by_name[one.name] = 1e-9 * static_cast<double>(one.ns);
  if (!by_name.empty()) row["computation_by_name_s"] = by_name;
}

void add_sensitivities(json& row, const program& what, const explanation& found,
                       const loggops_parameters& network, bool scanned) {
  std::string why_not;
  for (const parameter& one : parameters) {
    json of{{"lambda", found.terms.*one.count}};
    if (scanned) {
      const sensitivity_check check = check_sensitivity(what, network, one.member, found);
      of["one_more_ns"] = check.one_more_ns;
      of["one_less_ns"] = check.one_less_ns;
      of["jumps"] = check.jumps();
      if (const std::string why = check.why_not_trusted(); !why.empty() && why_not.empty())
        why_not = std::string(one.name) + ": " + why;
    }
    row["sensitivities"][one.name] = of;
  }
  if (!scanned)
    why_not = fmt::format("more than {} operations were run once", most_scanned_operations);
  row["trusted"] = why_not.empty();
  if (!why_not.empty()) row["why_not_trusted"] = why_not;
}

void add_scans(json& row, const program& what, const loggops_parameters& network) {
  for (const auto& [name, factor] : {std::pair{"1 %", 1.01}, std::pair{"5 %", 1.05}}) {
    const auto value = tolerated(what, network, &loggops_parameters::L, factor);
    row["tolerated_L_ns"][name] = value ? json(*value) : json();
  }
  json changes = json::array();
  for (const auto& [name, member] :
       {std::pair{"L", &loggops_parameters::L}, std::pair{"G", &loggops_parameters::G}})
    for (const bool upwards : {true, false})
      if (const auto found = takes_over(what, network, member, upwards))
        changes.push_back(
            {{"parameter", name}, {"value", found->value}, {"limiter", to_string(found->becomes)}});
  row["takes_over"] = changes;
}

}  // namespace

json loggops_row(const program& whole, const loggops_parameters& network) {
  json row{{"dialect", "loggops"}, {"ranks", whole.ranks()}, {"operations", whole.operations()}};
  const bool alike = why_not_alike(whole).empty();
  if (alike) row["ranks_run"] = 1;
  const program one = alike ? one_for_all(whole) : program();
  const program& what = alike ? one : whole;
  const bool followed = what.operations() <= most_explained_operations;
  explanation found;
  if (followed) {
    found = explain(what, network);
  } else {
    found.outcome = run_loggops(what, network);
  }
  if (!found.outcome.left.empty()) throw usage_error(left_lines(found.outcome));
  row["predicted_s"] = 1e-9 * static_cast<double>(found.outcome.latest_ns());
  row["events"] = found.outcome.events;
  if (!followed) return row;
  add_parts(row, found, network);
  const bool scanned = what.operations() <= most_scanned_operations;
  add_sensitivities(row, what, found, network, scanned);
  if (scanned) add_scans(row, what, network);
  return row;
}

void print_row(const json& row) {
  const auto milliseconds = [](const json& seconds) {
    return fmt::format("{:.6f} ms", 1e3 * seconds.get<double>());
  };
  fmt::print("predicted {} for {} ranks, {} operations\n", milliseconds(row["predicted_s"]),
             row["ranks"].get<std::uint64_t>(), row["operations"].get<std::uint64_t>());
  if (row.contains("ranks_run")) fmt::print("all ranks are alike: one was run\n");
  if (!row.contains("parts")) return;
  for (const auto& [name, seconds] : row["parts"].items()) {
    const std::string part = name.substr(0, name.size() - 2);
    fmt::print("  {:12} {:>18}", part, milliseconds(seconds));
    if (row["sensitivities"].contains(part)) {
      const json& of = row["sensitivities"][part];
      fmt::print("  dT/d{} {}", part, of["lambda"].get<std::int64_t>());
      if (of.value("jumps", false))
        fmt::print(", jumps: {:+} ns for +1, {:+} ns for -1", of["one_more_ns"].get<std::int64_t>(),
                   -of["one_less_ns"].get<std::int64_t>());
    }
    fmt::print("\n");
  }
  fmt::print("limited by {}\n", row["limiter"].get<std::string>());
  if (row.contains("tolerated_L_ns"))
    for (const auto& [name, value] : row["tolerated_L_ns"].items())
      fmt::print(
          "L up to {} for at most {} more time\n",
          value.is_null() ? "10,000 times" : fmt::format("{} ns", value.get<std::uint64_t>()),
          name);
  if (row.contains("takes_over"))
    for (const json& one : row["takes_over"])
      fmt::print("limited by {} from {} = {}\n", one["limiter"].get<std::string>(),
                 one["parameter"].get<std::string>(), one["value"].get<std::uint64_t>());
  if (!row["trusted"].get<bool>())
    fmt::print("not to be trusted: {}\n", row["why_not_trusted"].get<std::string>());
}

void print_finish(const program& what, const loggops_parameters& network) {
  const loggops_outcome outcome = run_loggops(what, network);
  if (outcome.left_receives + outcome.left_messages > 0) throw usage_error(left_lines(outcome));
  std::string text;
  for (const std::uint64_t time : outcome.finish_ns) text += std::to_string(time) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  for (const std::string& line : outcome.left) std::fprintf(stderr, "simulate: %s\n", line.c_str());
}

}  // namespace plait::network::simulate
