// SPDX-License-Identifier: BSD-3-Clause
// Runs in the thread that makes the engine.
#include "comm/engine/policy_choice.hpp"

#include <cstdio>
#include <string>
#include <utility>

#include "look/numbers.hpp"

namespace plait {
namespace {

[[nodiscard]] std::string delay_text(double longest_s) {
  char text[32];
  const bool is_long = longest_s >= 1;
  std::snprintf(text, sizeof text, is_long ? "within %.3g s" : "within %.3g ms",
                is_long ? longest_s : 1e3 * longest_s);
  return text;
}

}  // namespace

double longest_delay_s(const engine_options& options, int ranks_a_core) {
  return options.poll_every_s > 0 ? options.poll_every_s : ranks_a_core * options.worst_delay_s;
}

double longest_delay_beside_workers_s(const engine_options& options, int ranks_a_core) {
  return ranks_a_core * (2 + look_numbers::longest_leave) * options.worst_delay_s;
}

engine::choice choose_policy(const engine_options& options, int fair_share, int ranks_a_core) {
  const bool at_fixed_interval = options.poll_every_s > 0;
  std::string noticed =
      "a completion is noticed " + delay_text(longest_delay_s(options, ranks_a_core));
  if (!at_fixed_interval)
    noticed += " or 1/" + std::to_string(look_numbers::patience) + " of the wait";
  switch (options.policy) {
    case progress::dedicated:
      return {.proxy = true, .proxy_spins = true, .name = "dedicated", .reason = "asked for"};
    case progress::sleeping:
      return {.proxy = true, .name = "sleeping", .reason = "asked for; " + noticed};
    case progress::workers:
      return {.idle_workers = true,
              .busy_workers = true,
              .name = "workers",
              .reason = "asked for; a completion is noticed between tasks"};
    case progress::none:
      return {.name = "none", .reason = "asked for; a completion is noticed in wait()"};
    case progress::automatic:
      break;
  }
  const auto number = [](int n, const char* of) {
    return std::to_string(n) + of + (n == 1 ? "" : "s");
  };
  const std::string counts = number(options.workers, " worker") + " on " +
                             number(fair_share, " core") + " of this rank's share";
  if (fair_share > options.workers) {
    return {.proxy = true,
            .proxy_spins = true,
            .gives_way = true,
            .idle_workers = true,
            .name = "dedicated",
            .reason = counts + ": one is free for the proxy, which sleeps while others want it"};
  }
  const std::string sharers =
      ranks_a_core > 1 ? ", which " + std::to_string(ranks_a_core) + " ranks share" : "";
  std::string reason = counts + sharers + ": none is free for a proxy; " + noticed;
  if (!at_fixed_interval)
    reason += ", or " + delay_text(longest_delay_beside_workers_s(options, ranks_a_core)) +
              " while workers poll between short tasks";
  return {.proxy = true,
          .idle_workers = true,
          .busy_workers = true,
          .name = "sleeping+workers",
          .reason = std::move(reason)};
}

}  // namespace plait
