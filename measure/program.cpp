// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comparison_result.hpp"

namespace plait::measure {
namespace {

std::string cell_of(const json& value, const char* form) {
  return value.is_null() ? "" : fmt::format(fmt::runtime(form), value.get<double>());
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

void print_table(const json& result) {
  std::printf("%-11s %9s %9s %9s %9s %8s %7s %8s\n", "variant", "total s", "compute s", "posting s",
              "exposed s", "/ ideal", "hidden", "verified");
  for (const auto& [name, one] : result["variants"].items()) {
    const json own = one.contains("own_limits") ? one["own_limits"]["ratio_to_ideal"] : json();
    const json& hidden = result["hidden_fraction"];
    std::printf("%-11s %9.4f %9.4f %9.4f %9.4f %8s %7s %8s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["posting_s"].get<double>(), one["exposed_s"].get<double>(),
                cell_of(own, "{:.3f}").c_str(),
                cell_of(hidden.contains(name) ? hidden[name] : json(), "{:.2f}").c_str(),
                one["verified"].get<bool>() ? "yes" : "NO");
  }
  std::printf("bound %.4f s, attainable %.4f s\n", result["bound_s"].get<double>(),
              result["attainable_s"].get<double>());
}

int run_comparison(environment& env, const comparison& what, const session_options& wanted,
                   const std::function<void(json&, const measurements&)>& more) {
  check_outputs(env, wanted);
  const measurements found = measure(env, what, wanted);
  outcome done{found.verified, {}};
  if (env.rank() == 0) {
    done.result = result_of(env, what, wanted, found);
    done.result["parameters"].update({{"steps", wanted.steps}, {"repeat", wanted.repeat}});
    const measured_variant* last = nullptr;
    for (const measured_variant& one : found.variants) {
      json& to = done.result["variants"][one.name];
      if (one.has_proxy()) to["longest_unwatched_s"] = one.figure("longest_unwatched_s");
      if (one.words.contains("policy_chosen")) {
        json& where = done.result["environment"];
        where["workers"] = one.workers;
        for (const auto& [word, value] : one.words) where[word] = value;
      }
      if (one.name != found.ideal && found.computes_as_base(one)) last = &one;
    }
    if (last != nullptr) done.result["limiter"] = limiter_of(*last, found);
    if (more) more(done.result, found);
  }
  return conclude(env, wanted, done, print_table);
}

}  // namespace plait::measure
