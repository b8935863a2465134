// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/ledger_table.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "runtime/written/program_record.hpp"

namespace plait {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t most_rows = 32;
constexpr double worth_a_word = 0.05;

using part = double ledger_entry::*;
/// Of the table, where time on hold is part of the last.
constexpr std::array<part, 5> parts{&ledger_entry::compute_s, &ledger_entry::posting_s,
                                    &ledger_entry::exposed_s, &ledger_entry::overhead_s,
                                    &ledger_entry::idle_s};

[[nodiscard]] double share(const ledger_entry& of, part what) {
  return of.wall_s > 0 ? of.*what / of.wall_s : 0;
}
[[nodiscard]] double percent(const ledger_entry& of, part what) {
  return 100 * share(of, what);
}

/// In seven columns, five digits where there is room.
[[nodiscard]] std::string seconds(double value, double largest) {
  const int digits = largest >= 1000 ? 1 : largest >= 100 ? 2 : largest >= 10 ? 3 : 4;
  return fmt::format("{:7.{}f}", value, largest < 1 ? 5 : digits);
}

[[nodiscard]] std::string row(std::string_view name, ledger_entry of, double largest) {
  of.idle_s += of.held_s;
  std::string line = fmt::format("{:>5}{:>9}", name, seconds(of.wall_s, largest));
  for (const part what : parts) {
    line += fmt::format("{:>8}{:3.0f} %", seconds(of.*what, largest), percent(of, what));
  }
  return line + "\n";
}

/// Precondition: no word is longer than a line.
[[nodiscard]] std::string wrapped(std::string text) {
  for (std::size_t begin = 0; text.size() > begin + width;) {
    const std::size_t end = text.rfind(' ', begin + width);
    text[end] = '\n';
    begin = end + 1;
  }
  return text + "\n";
}

/// Ranks in their order; of too many, those that were exposed most.
[[nodiscard]] std::vector<std::size_t> ranks_to_show(const std::vector<ledger_entry>& means) {
  std::vector<std::size_t> shown(means.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= most_rows) return shown;
  std::ranges::stable_sort(shown, std::ranges::greater{},
                           [&](std::size_t rank) { return means[rank].exposed_s; });
  shown.resize(most_rows);
  std::ranges::sort(shown);
  return shown;
}

}  // namespace

std::string meaning_of(const std::vector<ledger_entry>& ranks) {
  const ledger_entry mean = mean_of(ranks);
  if (mean.wall_s <= 0) return "Nothing ran.";
  struct meaning {
    part what;
    const char* means;
  };
  constexpr std::array<meaning, activity_count - 1> meanings{{
      {&ledger_entry::exposed_s,
       "of the time workers had nothing to run while a message was under way (exposed): tasks that "
       "do not need the message could run meanwhile, unless another rank was late to send it"},
      {&ledger_entry::idle_s,
       "of the time workers had nothing to run and no message was under way (other idle): there "
       "were too few tasks, or each waited for another"},
      {&ledger_entry::overhead_s,
       "of the time went to plait itself (overhead): longer tasks, or a recorded graph, lower it"},
      {&ledger_entry::posting_s,
       "of the time went to starting and looking after messages (posting): fewer and longer ones "
       "lower it"},
      {&ledger_entry::held_s,
       "of the time workers had nothing to run while others were to finish a task (held, in other "
       "idle): tasks that do not need it could run meanwhile"},
  }};
  const meaning& most =
      *std::ranges::max_element(meanings, {}, [&](const meaning& one) { return mean.*one.what; });
  if (share(mean, most.what) < worth_a_word) {
    return fmt::format(
        "{:.0f} % of the time was computation, and of the rest nothing took {:.0f} %: there is "
        "little left to hide.",
        percent(mean, &ledger_entry::compute_s), 100 * worth_a_word);
  }
  std::string worst;
  const auto hit = std::ranges::max_element(
      ranks, {}, [&](const ledger_entry& one) { return share(one, most.what); });
  if (share(*hit, most.what) > 1.5 * share(mean, most.what)) {
    worst = fmt::format(" (on rank {} {:.0f} %)", hit - ranks.begin(), percent(*hit, most.what));
  }
  const std::string on_hold =
      mean.held_s > 0 && most.what != &ledger_entry::held_s
          ? fmt::format(
                " Workers had nothing to run while others were to finish a task (held) for "
                "{:.0f} % of the time.",
                percent(mean, &ledger_entry::held_s))
          : "";
  return fmt::format("{:.0f} %{} {}.", percent(mean, most.what), worst, most.means) + on_hold;
}

std::string ledger_table(const std::vector<ledger_entry>& ranks, int workers, int runtimes) {
  double largest = 0;
  for (const ledger_entry& one : ranks) largest = std::max(largest, one.wall_s);
  std::string title = "plait: where the time went, in seconds and percent";
  if (workers > 1) title += fmt::format(", mean of {} workers", workers);
  if (runtimes > 1) title += fmt::format(", {} runtimes added up", runtimes);
  std::string text = wrapped(title);
  text += fmt::format("{:>5}{:>9}{:>13}{:>13}{:>13}{:>13}{:>13}\n", "rank", "wall", "compute",
                      "posting", "exposed", "overhead", "other idle");
  const std::vector<std::size_t> shown = ranks_to_show(ranks);
  for (const std::size_t rank : shown) text += row(std::to_string(rank), ranks[rank], largest);
  if (shown.size() < ranks.size()) {
    text += fmt::format("  ... of {} ranks the {} that were exposed longest\n", ranks.size(),
                        shown.size());
  }
  if (ranks.size() > 1) text += row("mean", mean_of(ranks), largest);
  return text + wrapped(meaning_of(ranks));
}

}  // namespace plait
