// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comparison_result.hpp"

namespace plait::measure {
namespace {

std::string cell_of(const json& value, const char* form) {
  return value.is_null() ? "" : fmt::format(fmt::runtime(form), value.get<double>());
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
const measured_variant* judged(const comparison& what, const measurements& found) {
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

std::vector<std::string> program_options::chosen(std::span<const std::string_view> known) const {
  return parse_names("--variants", variants, known);
}

task_options program_options::tasks() const {
  check_range("--workers", workers, 0, 1024);
  check_range("--in-flight", in_flight, 0, 1 << 24);
  return {.workers = static_cast<int>(workers),
          .policy = parse_progress("--policy", policy),
          .in_flight = static_cast<std::size_t>(in_flight)};
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

json to_json(const task_options& tasks) {
  return {{"workers", tasks.workers},
          {"policy", to_string(tasks.policy)},
          {"in_flight", tasks.in_flight}};
}

void print_table(const json& result) {
  const auto has = [&](const char* figure) {
    return std::ranges::any_of(result["variants"],
                               [&](const json& one) { return one.contains(figure); });
  };
  const bool rates = has("gflops"), own = has("own_limits");
  const auto line = [&](std::array<std::string, 9> cells) {
    if (!rates) cells[2].clear();
    if (!own) cells[6].clear();
    std::string text = fmt::format("{:<11}", cells[0]);
    for (std::size_t i = 1; i < cells.size(); ++i)
      if ((i != 2 || rates) && (i != 6 || own)) text += fmt::format(" {:>9}", cells[i]);
    std::printf("%s\n", text.c_str());
  };
  line({"variant", "total s", "Gflop/s", "compute s", "posting s", "exposed s", "/ ideal", "hidden",
        "verified"});
  for (const auto& [name, one] : result["variants"].items()) {
    const json& hidden = result["hidden_fraction"];
    const json ratio = one.contains("own_limits") ? one["own_limits"]["ratio_to_ideal"] : json();
    line({name, cell_of(one["total_s"]["median"], "{:.4f}"),
          cell_of(rates ? one["gflops"] : json(), "{:.2f}"), cell_of(one["compute_s"], "{:.4f}"),
          cell_of(one["posting_s"], "{:.4f}"), cell_of(one["exposed_s"], "{:.4f}"),
          cell_of(ratio, "{:.3f}"),
          cell_of(hidden.contains(name) ? hidden[name] : json(), "{:.2f}"),
          one["verified"].get<bool>() ? "yes" : "NO"});
  }
  std::printf("bound %.4f s, attainable %.4f s\n", result["bound_s"].get<double>(),
              result["attainable_s"].get<double>());
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
    if (const measured_variant* one = judged(what, found))
      done.result["limiter"] = limiter_of(*one, found);
    if (more) more(done.result, found);
  }
  return conclude(env, wanted, done, print);
}

}  // namespace plait::measure
