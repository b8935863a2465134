// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comparison_result.hpp"

namespace plait::measure {
namespace {

/// `form` of the figure; nothing where there is none.
std::string cell_of(const json& of, const std::string& figure, const std::string& form = "{:.4f}") {
  const json value = of.value(figure, json());
  return value.is_null() ? "" : fmt::format(fmt::runtime(form), value.get<double>());
}

void print_line(const std::vector<std::string>& cells) {
  std::string text = fmt::format("{:<11}", cells.front());
  for (std::size_t i = 1; i < cells.size(); ++i) text += fmt::format(" {:>9}", cells[i]);
  std::printf("%s\n", text.c_str());
}

/// Adds what the first variant of tasks chose where the command line left it open.
void add_choices(json& to, const measurements& found) {
  const auto tasks = std::ranges::find_if(found.variants, [](const measured_variant& one) {
    return one.words.contains("policy_chosen");
  });
  const bool some = tasks != found.variants.end();
  to["workers"] = some ? tasks->workers : 1;
  for (const char* word : {"policy_chosen", "policy_reason"})
    to[word] = some ? json(tasks->words.at(word)) : json(nullptr);
}

/// Returns the last variant that computes as base does; where none does, the last that was held
/// against an ideal of its own.
const measured_variant* last_limited(const comparison& what, const measurements& found) {
  const measured_variant* as_base = nullptr;
  const measured_variant* other = nullptr;
  for (const measured_variant& one : found.variants) {
    const auto is_own = [&](const compared_variant& ideal) { return ideal.name == one.name; };
    if (one.name == found.ideal || std::ranges::any_of(what.own_ideals, is_own)) continue;
    if (found.computes_as_base(one)) as_base = &one;
    if (!one.own_ideal.empty()) other = &one;
  }
  return as_base != nullptr ? as_base : other;
}

}  // namespace

program_options usual_options(const std::string& variants, int steps, std::int64_t in_flight) {
  program_options result;
  result.variants = variants;
  result.session.steps = steps;
  result.in_flight = in_flight;
  return result;
}

std::vector<std::string> program_options::chosen(std::span<const std::string_view> known) const {
  return parse_names("--variants", variants, known);
}

runtime_options program_options::tasks() const {
  check_range("--workers", workers, 0, 1024);
  check_range("--in-flight", in_flight, 0, 1 << 24);
  return {.engine = {.policy = parse_progress("--policy", policy)},
          .tasks = {.workers = static_cast<int>(workers),
                    .in_flight = static_cast<std::size_t>(in_flight)}};
}

void add_program_options(command_line& to, program_options& options,
                         std::span<const std::string_view> known, const std::string& steps_help) {
  to.option("--variants", options.variants,
            fmt::format("Any of {}, with commas between", fmt::join(known, ", ")));
  add_lengths(to, options.session, steps_help, "variant");
  to.option("--workers", options.workers, "Workers of a rank; 0 = choose");
  to.option("--policy", options.policy, "Progress: auto, dedicated, sleeping, workers or none");
  to.option("--in-flight", options.in_flight, "Most tasks in flight; 0 = choose");
  add_outputs(to, options.session, "variant");
}

json to_json(const runtime_options& how) {
  return {{"workers", how.tasks.workers},
          {"policy", to_string(how.engine.policy)},
          {"in_flight", how.tasks.in_flight}};
}

void print_table(const json& result, const std::vector<table_column>& more) {
  const json& variants = result["variants"];
  const auto some_have = [&](const char* member) {
    return std::ranges::any_of(variants, [&](const json& one) { return one.contains(member); });
  };
  std::vector<table_column> columns;
  if (some_have("gflops")) columns.push_back({"Gflop/s", "gflops", "{:.2f}"});
  columns.insert(columns.end(), more.begin(), more.end());
  for (const char* part : {"compute", "posting", "exposed"})
    columns.push_back({fmt::format("{} s", part), fmt::format("{}_s", part)});
  const bool has_own = some_have("own_limits");
  std::vector<std::string> titles{"variant", "total s"};
  for (const table_column& one : columns) titles.push_back(one.title);
  if (has_own) titles.emplace_back("/ ideal");
  titles.emplace_back("hidden");
  titles.emplace_back("verified");
  print_line(titles);
  for (const auto& [name, one] : variants.items()) {
    std::vector<std::string> cells{name, cell_of(one["total_s"], "median")};
    for (const table_column& column : columns)
      cells.push_back(cell_of(one, column.figure, column.form));
    if (has_own)
      cells.push_back(cell_of(one.value("own_limits", json::object()), "ratio_to_ideal", "{:.3f}"));
    cells.push_back(cell_of(result["hidden_fraction"], name, "{:.2f}"));
    cells.emplace_back(one["verified"].get<bool>() ? "yes" : "NO");
    print_line(cells);
  }
  std::printf("bound %.4f s, attainable %.4f s\n", result["bound_s"].get<double>(),
              result["attainable_s"].get<double>());
  if (result.contains("kernel"))
    std::printf("%.0f %% of memory bandwidth\n",
                100 * result["kernel"]["fraction_of_bandwidth"].get<double>());
}

int run_comparison(environment& env, const comparison& what, const session_options& wanted,
                   const std::function<void(json&, const measurements&)>& more,
                   const std::function<void(const json&)>& print) {
  check_outputs(env, wanted);
  const measurements found = measure(env, what, wanted);
  outcome done{found.verified, {}};
  if (env.rank() == 0) {
    done.result = result_of(env, what, wanted, found);
    json& parameters = done.result["parameters"];
    parameters.update({{"steps", wanted.steps}, {"repeat", wanted.repeat}});
    parameters["variants"] = json::array();
    for (const compared_variant& one : what.variants) parameters["variants"].push_back(one.name);
    add_choices(done.result["environment"], found);
    for (const measured_variant& one : found.variants)
      if (one.has_proxy() && one.has_figure("longest_unwatched_s"))
        done.result["variants"][one.name]["longest_unwatched_s"] =
            one.figure("longest_unwatched_s");
    const measured_variant* one = what.limited ? what.limited(found) : last_limited(what, found);
    if (one != nullptr) done.result["limiter"] = limiter_of(*one, found);
    if (more) more(done.result, found);
  }
  return conclude(env, wanted, done, print);
}

}  // namespace plait::measure
