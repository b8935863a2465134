// SPDX-License-Identifier: BSD-3-Clause
// Takes a share of some cores away from all that runs there, in bursts, as an operating system's
// own work does.  Threads of ordinary priority count first what was really taken.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "burst_thread.hpp"
#include "counting.hpp"
#include "ending.hpp"
#include "options.hpp"

namespace plait::network::noise {
namespace {

using json = nlohmann::ordered_json;
using std::chrono::steady_clock;
using threads = std::vector<std::unique_ptr<burst_thread>>;

constexpr nanoseconds a_day = std::chrono::hours(24);

/// Shares that counting threads lost, by core: without bursts and with them.  Empty: not counted.
struct counted {
  std::vector<double> alone, beside;

  /// Returns the share of a core that the bursts got.
  [[nodiscard]] double got(std::size_t i) const { return beside[i] - alone[i]; }
};

/// A core whose counted share is as far from the wanted one is told of: of the share, and at all.
constexpr double far_off = 0.25, least_off = 0.005;

[[nodiscard]] threads start(const request& asked) {
  threads all;
  for (const burst_plan& plan : asked.plans)
    all.push_back(std::make_unique<burst_thread>(plan, asked.how));
  return all;
}

[[nodiscard]] std::vector<int> cores_of(const request& asked) {
  std::vector<int> cores;
  for (const burst_plan& plan : asked.plans) cores.push_back(plan.core);
  return cores;
}

/// Counts without bursts, then lets them begin and counts beside them.  Returns their origin, too.
[[nodiscard]] std::pair<counted, moment> begin(const request& asked, const threads& bursts,
                                               ending& end) {
  const auto is_ended = [&end](nanoseconds time) { return end.comes_within(time); };
  const std::vector<int> cores = cores_of(asked);
  counted result;
  if (asked.counting.count() > 0) {
    const moment now = steady_clock::now();
    result.alone = count_lost_time(
        cores, std::vector<counting_window>(cores.size(), {now, now + asked.counting / 2}),
        is_ended);
  }
  // Windows of counting begin up to a period before the first burst.
  const nanoseconds lead = asked.counting.count() > 0 ? asked.plans[0].period : nanoseconds(0);
  const moment origin = steady_clock::now() + lead;
  for (const auto& each : bursts) each->begin(origin);
  if (asked.counting.count() > 0) {
    std::vector<counting_window> windows;
    for (const burst_plan& plan : asked.plans)
      windows.push_back(window_of(plan, origin, asked.counting));
    result.beside = count_lost_time(cores, windows, is_ended);
  }
  return {result, origin};
}

void warn(const threads& bursts, const counted& shares) {
  for (std::size_t i = 0; i < shares.beside.size(); ++i) {
    const burst_plan& plan = bursts[i]->plan();
    const double off = std::abs(shares.got(i) - wanted_share(plan));
    if (off > least_off && off > far_off * wanted_share(plan))
      fmt::print(stderr, "noise: core {}: {:.2f} % was counted instead of {:.2f} %\n", plan.core,
                 100 * shares.got(i), 100 * wanted_share(plan));
  }
}

void say_begin(const request& asked, const threads& bursts, const counted& shares) {
  const burst_plan& first = asked.plans[0];
  fmt::print("{} every {}: {:.3g} % of each core, {} threads\n", duration_text(first.length),
             duration_text(first.period), 100 * wanted_share(first), bursts[0]->way());
  const bool is_counted = !shares.beside.empty();
  fmt::print("{:>4} {:>10} {:>9}{}\n", "core", "phase", "wanted",
             is_counted ? "       got    lost beside bursts   without" : "");
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const burst_plan& plan = bursts[i]->plan();
    fmt::print("{:>4} {:>10} {:>7.2f} %", plan.core, duration_text(plan.phase),
               100 * wanted_share(plan));
    if (is_counted)
      fmt::print(" {:>7.2f} % {:>19.2f} % {:>7.2f} %", 100 * shares.got(i), 100 * shares.beside[i],
                 100 * shares.alone[i]);
    fmt::print("\n");
  }
  fmt::print("ready\n");
  std::fflush(stdout);
}

/// Ends the bursts.  Returns the figures of the whole run.
[[nodiscard]] json end_all(const request& asked, const threads& bursts, const counted& shares,
                           moment origin) {
  std::vector<burst_account> accounts;
  for (const auto& each : bursts) accounts.push_back(each->end());
  const double wall_s =
      std::max(1e-3, std::chrono::duration<double>(steady_clock::now() - origin).count());
  const burst_plan& first = asked.plans[0];
  const auto seconds = [](nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  json result{{"period_s", seconds(first.period)},
              {"length_s", seconds(first.length)},
              {"wanted_share", wanted_share(first)},
              {"priority", bursts[0]->way()},
              {"wall_s", wall_s},
              {"cores", json::array()}};
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const burst_account& account = accounts[i];
    json core{{"core", bursts[i]->plan().core},
              {"phase_s", seconds(bursts[i]->plan().phase)},
              {"bursts", account.bursts},
              {"skipped", account.skipped},
              {"taken_share", seconds(account.taken) / wall_s}};
    if (!shares.beside.empty()) {
      core["got_share"] = shares.got(i);
      core["lost_beside_share"] = shares.beside[i];
      core["lost_without_share"] = shares.alone[i];
    }
    result["cores"].push_back(core);
  }
  return result;
}

void say_end(const json& result) {
  fmt::print("in {:.1f} s:\n{:>4} {:>10} {:>9} {:>9}\n", result["wall_s"].get<double>(), "core",
             "bursts", "skipped", "taken");
  for (const json& core : result["cores"])
    fmt::print("{:>4} {:>10} {:>9} {:>7.2f} %\n", core["core"].get<int>(),
               core["bursts"].get<std::int64_t>(), core["skipped"].get<std::int64_t>(),
               100 * core["taken_share"].get<double>());
  std::fflush(stdout);
}

/// Errors: `refused` where the file cannot be written.
void write(const json& result, const std::string& path) {
  std::ofstream file(path);
  file << result.dump(1) << "\n" << std::flush;
  if (!file) throw refused("--json: cannot write '" + path + "'");
}

int run(int argc, char** argv) {
  const auto asked = parse(argc, argv);
  if (!asked) return 0;
  ending end(asked->parent);
  const threads bursts = start(*asked);
  const auto [shares, origin] = begin(*asked, bursts, end);
  if (!end.comes_within(nanoseconds(0))) {
    warn(bursts, shares);
    say_begin(*asked, bursts, shares);
  }
  if (asked->time) {
    (void)end.comes_within(*asked->time);
  } else {
    while (!end.comes_within(a_day)) {
    }
  }
  const json result = end_all(*asked, bursts, shares, origin);
  if (!asked->json_file.empty()) write(result, asked->json_file);
  say_end(result);
  return 0;
}

}  // namespace
}  // namespace plait::network::noise

int main(int argc, char** argv) {
  try {
    return plait::network::noise::run(argc, argv);
  } catch (const plait::network::noise::refused& why) {
    std::fprintf(stderr, "noise: %s\n", why.what());
    return 2;
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "noise: %s\n", failed.what());
    return 3;
  }
}
