// SPDX-License-Identifier: BSD-3-Clause
// Runs in the thread that makes the engine.
#include "comm/engine/policy_choice.hpp"

#include <cstdio>
#include <string>

namespace plait {
namespace {

[[nodiscard]] std::string delay_text(double worst_delay_s) {
  char text[64];
  std::snprintf(text, sizeof text, "a completion is noticed within %.3g ms", 1e3 * worst_delay_s);
  return text;
}

}  // namespace

double longest_delay_s(const engine_options& options) {
  return options.poll_every_s > 0 ? options.poll_every_s : options.worst_delay_s;
}

engine::choice choose_policy(const engine_options& options, int fair_share) {
  const std::string delay = delay_text(longest_delay_s(options));
  switch (options.policy) {
    case progress::dedicated:
      return {.proxy = true, .proxy_spins = true, .name = "dedicated", .reason = "asked for"};
    case progress::sleeping:
      return {.proxy = true, .name = "sleeping", .reason = "asked for; " + delay};
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
  return {.proxy = true,
          .idle_workers = true,
          .busy_workers = true,
          .name = "sleeping+workers",
          .reason = counts + ": none is free for a proxy; " + delay +
                    ", by the next task where they are short"};
}

}  // namespace plait
