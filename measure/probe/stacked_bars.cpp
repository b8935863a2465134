// SPDX-License-Identifier: BSD-3-Clause
#include "stacked_bars.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include <fmt/format.h>

#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"

namespace plait::measure {
namespace {

[[nodiscard]] json bar_of(const stacked_bar& one, const std::vector<std::string>& parts) {
  json result{{"name", one.name},
              {"total_s", to_json(summarize(one.times.total_s))},
              {"parts_s", json::object()},
              {"verified", one.verified ? json(*one.verified) : json(nullptr)}};
  for (std::size_t i = 0; i < parts.size(); ++i)
    result["parts_s"][parts[i]] = one.times.median_s(i);
  result.update(one.remarks);
  return result;
}

}  // namespace

double bar_samples::median_total_s() const {
  return median(total_s);
}

double bar_samples::median_s(std::size_t part) const {
  return median(parts_s.at(part));
}

void add_run(environment& env, bar_samples& to, double total_s,
             const std::vector<double>& parts_s) {
  to.total_s.push_back(maximum(env, total_s));
  to.parts_s.resize(parts_s.size());
  for (std::size_t i = 0; i < parts_s.size(); ++i)
    to.parts_s[i].push_back(sum(env, parts_s[i]) / env.size());
}

stacked_bar modelled_bar(std::string group, std::string name, const std::vector<double>& parts_s) {
  stacked_bar bar{.group = std::move(group), .name = std::move(name)};
  bar.times.total_s = {std::accumulate(parts_s.begin(), parts_s.end(), 0.0)};
  for (const double one : parts_s) bar.times.parts_s.push_back({one});
  return bar;
}

json bar_figure(const std::string& title, const std::vector<std::string>& parts,
                const std::vector<stacked_bar>& bars) {
  json groups = json::array();
  for (const stacked_bar& one : bars) {
    auto group =
        std::ranges::find_if(groups, [&](const json& g) { return g["name"] == one.group; });
    if (group == groups.end()) {
      groups.push_back({{"name", one.group}, {"bars", json::array()}});
      group = std::prev(groups.end());
    }
    (*group)["bars"].push_back(bar_of(one, parts));
  }
  return {{"title", title}, {"parts", parts}, {"groups", std::move(groups)}};
}

json probe_result(const environment& env, const std::string& application, json parameters,
                  json figures, const std::vector<std::string>& sentences) {
  json result =
      new_result("probe", "app", application, std::move(parameters), describe_environment(env));
  result["figures"] = std::move(figures);
  result["sentences"] = sentences;
  return result;
}

void say_windows(json& result, const window_choice& chosen) {
  const std::string what(to_string(chosen.what));
  result["environment"]["windows"] = what;
  result["environment"]["windows_reason"] = chosen.reason;
  result["sentences"].push_back(fmt::format("windows run on {} ({})", what, chosen.reason));
}

void print_bars(const json& result) {
  for (const json& figure : result["figures"]) {
    std::printf("%s\n", figure["title"].get<std::string>().c_str());
    for (const json& group : figure["groups"])
      for (const json& bar : group["bars"]) {
        std::printf("  %-24s %-10s %10.3f ms ", group["name"].get<std::string>().c_str(),
                    bar["name"].get<std::string>().c_str(),
                    1e3 * bar["total_s"]["median"].get<double>());
        for (const auto& [part, seconds] : bar["parts_s"].items())
          std::printf(" %s %.3f", part.c_str(), 1e3 * seconds.get<double>());
        std::printf("%s\n", bar["verified"] == json(false) ? "  NOT VERIFIED" : "");
      }
  }
  for (const json& sentence : result["sentences"])
    std::printf("%s\n", sentence.get<std::string>().c_str());
}

}  // namespace plait::measure
