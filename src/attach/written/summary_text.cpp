// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "attach/after/analysis.hpp"
#include "attach/after/rank_classes.hpp"
#include "attach/books/settings.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

constexpr std::size_t most_lines = 30;
constexpr std::size_t shown_sites = 5;
constexpr std::size_t shown_regions = 6;

constexpr std::size_t line_width = 80;
constexpr std::size_t said_width = line_width - 7;  ///< behind "plait: "

/// Lines of at most 80 columns and at most 30 of them: a sentence that does not fit is left out.
class lines {
 public:
  template <class... Values>
  void add(text_pattern<sizeof...(Values)> pattern, const Values&... values) {
    const std::vector<std::string> wrapped = wrap(filled(pattern, values...));
    if (count_ + wrapped.size() > most_lines) return;
    for (const std::string& one : wrapped) text_ += one + "\n";
    count_ += wrapped.size();
  }
  /// Lines of a program, all of them or none.
  void add_code(const std::string& title, const std::vector<std::string>& code) {
    const std::vector<std::string> wrapped = wrap(title);
    if (count_ + wrapped.size() + code.size() > most_lines) return;
    for (const std::string& one : wrapped) text_ += one + "\n";
    for (const std::string& one : code) text_ += "plait:     " + one + "\n";
    count_ += wrapped.size() + code.size();
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  [[nodiscard]] static std::vector<std::string> wrap(const std::string& sentence) {
    std::vector<std::string> found;
    std::string left = "plait: " + sentence;
    while (left.size() > line_width) {
      std::size_t blank = left.find_last_of(' ', line_width);
      if (is_before_unit(left, blank)) blank = left.find_last_of(' ', blank - 1);
      if (blank == std::string::npos || blank < line_width / 2) break;  // one long name
      found.push_back(left.substr(0, blank));
      left = "plait:   " + left.substr(blank + 1);
    }
    found.push_back(left);
    return found;
  }

  /// A number stays on the line of its unit.
  [[nodiscard]] static bool is_before_unit(const std::string& text, std::size_t blank) {
    if (blank == std::string::npos) return false;
    const std::size_t end = std::min(text.find_first_of(" ,.:", blank + 1), text.size());
    const std::string word = text.substr(blank + 1, end - blank - 1);
    return word == "s" || word == "ms" || word == "us";
  }

  std::string text_;
  std::size_t count_ = 0;
};

[[nodiscard]] std::string on_the_right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// The end of a long text, which tells it from others.
[[nodiscard]] std::string end_of(const std::string& text, std::size_t room) {
  return text.size() > room ? "..." + text.substr(text.size() - room + 3) : text;
}

/// File and line of a place that has no room for its function, too.
[[nodiscard]] std::string short_place(const code_place& place, std::size_t room) {
  const std::string whole = place_text(place);
  if (whole.size() <= room) return whole;
  return room == 0 ? short_place_text(place) : end_of(short_place_text(place), room);
}

/// The call and its place in the program.  A long call leaves half of the room to its place.
[[nodiscard]] std::string site_text(const site_result& site, std::size_t room) {
  const std::string call = call_name(site.call).substr(0, room / 2 - 1) + " ";
  return call + short_place(site.owner(), room - call.size());
}

/// The wrappers between the program's own place and the call.
[[nodiscard]] std::string wrappers_text(const site_result& site) {
  std::string text;
  for (std::size_t i = site.callers.size() - 1; i > 0; --i) {
    text += "<- " + short_place(site.callers[i - 1], 0) + " ";
  }
  return end_of(text + "<- " + short_place(site, 0), said_width);
}

[[nodiscard]] double percent(double part, double of) noexcept {
  return of > 0 ? 100 * part / of : 0;
}

/// The longest part of a site's waiting.
[[nodiscard]] std::string main_part(const wait_split& w) {
  const std::pair<double, const char*> parts[] = {{w.late_sender_s, "late senders"},
                                                  {w.late_receiver_s, "late receivers"},
                                                  {w.transfer_s, "transfer"},
                                                  {w.collective_wait_s, "last rank"},
                                                  {w.other_wait_s, "not known"}};
  const auto most = std::ranges::max_element(parts, {}, [](const auto& one) { return one.first; });
  return filled("{}% {}", on_the_right(fixed(percent(most->first, w.waiting_s), 0), 3),
                most->second);
}

/// Rows of a table, but for the last column, which has the rest of a line; its header is one, too.
using table_rows = std::vector<std::vector<std::string>>;

/// Columns are as wide as what stands in them.  All but `left` are on the right, and one in which
/// nothing stands is left out.
[[nodiscard]] std::vector<std::string> aligned(const table_rows& rows, std::size_t left) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& one : rows) {
    for (std::size_t c = 0; c < one.size(); ++c) widths[c] = std::max(widths[c], one[c].size());
  }
  std::vector<std::string> texts;
  for (const auto& one : rows) {
    std::string line;
    for (std::size_t c = 0; c < one.size(); ++c) {
      if (widths[c] == 0) continue;
      line += c == left ? one[c] + std::string(widths[c] - one[c].size(), ' ')
                        : on_the_right(one[c], widths[c]);
      line += "  ";
    }
    texts.push_back(line);
  }
  return texts;
}

/// The longest regions, each behind those around it.
void add_regions(lines& to, const analysis& run) {
  const std::vector<region_result>& all = run.regions;
  if (all.empty()) return;
  std::vector<double> times_s;
  for (const region_result& one : all) times_s.push_back(one.time_s);
  std::ranges::sort(times_s, std::greater<>{});
  const double shortest_s = times_s[std::min(shown_regions, all.size()) - 1];
  const bool knows_causes = !run.cores.spoils_waits;
  table_rows rows{{run.is_of_threads() ? "a thread spends" : "a rank spends", "in MPI",
                   knows_causes ? "efficiency" : "", "count"}};
  std::vector<std::string> names{"region"};
  for (const region_result& one : all) {
    if (one.time_s < shortest_s || rows.size() > shown_regions) continue;
    rows.push_back({of_a_rank_text(run, one.time_s), fixed(percent(one.mpi_s, one.time_s), 1) + "%",
                    knows_causes ? fixed(one.pop.parallel_efficiency, 3) : "",
                    std::to_string(one.count)});
    names.push_back(std::string(std::min<std::size_t>(one.depth, 6), ' ') + one.name);
  }
  const std::vector<std::string> figures = aligned(rows, rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    to.add("{}{}", figures[i], names[i].substr(0, said_width - figures[i].size()));
  }
}

void add_sites(lines& to, const analysis& run) {
  const bool knows_causes = !run.cores.spoils_waits;
  table_rows rows{{run.is_of_threads() ? "a thread waits" : "a rank waits",
                   knows_causes ? "most of it for" : "", "count"}};
  for (const site_result& site : run.sites) {
    const wait_split& w = site.waits;
    if (rows.size() > shown_sites || w.waiting_s <= 0) break;
    rows.push_back({of_a_rank_text(run, w.waiting_s), knows_causes ? main_part(w) : "",
                    std::to_string(site.count)});
  }
  const std::vector<std::string> figures = aligned(rows, 1);
  to.add("{}call site", figures[0]);
  for (std::size_t i = 1; i < figures.size(); ++i) {
    const site_result& site = run.sites[i - 1];
    to.add("{}{}", figures[i], site_text(site, said_width - figures[i].size()));
    if (!site.callers.empty()) to.add("{}", on_the_right(wrappers_text(site), 73));
  }
}

void add_efficiency(lines& to, const pop_metrics& p) {
  to.add("parallel efficiency {} = load balance {} x communication {}",
         fixed(p.parallel_efficiency, 3), fixed(p.load_balance, 3),
         fixed(p.communication_efficiency, 3));
  if (!p.has_ideal) return;
  to.add("  communication {} = serialisation {} x transfer {}",
         fixed(p.communication_efficiency, 3), fixed(p.serialisation, 3), fixed(p.transfer, 3));
}

/// Ranks with OpenMP threads.
void add_threads(lines& to, const analysis& run) {
  const thread_times& t = run.openmp;
  if (t.threads == 0) return;
  const auto share = [&](double part_s) { return fixed(percent(part_s, t.all_s()), 1); };
  to.add(
      "OpenMP, {} threads in {} ranks: {}% computes, {}% is for MPI, {}% for slower threads, {}% "
      "for serial parts, {}% for scheduling",
      t.threads, run.ranks.size(), share(t.useful_s), share(t.mpi_s), share(t.unequal_s),
      share(t.serial_s), share(t.scheduling_s));
  if (run.cores.spoils_waits) return;
  const hybrid_metrics& of = run.hybrid;
  to.add("  efficiency of all threads {} = MPI {} x OpenMP {}", fixed(of.parallel, 3),
         fixed(of.mpi, 3), fixed(of.openmp, 3));
  to.add("  OpenMP {} = load balance {} x serial {} x scheduling {}", fixed(of.openmp, 3),
         fixed(of.openmp_load_balance, 3), fixed(of.openmp_serial, 3),
         fixed(of.openmp_scheduling, 3));
}

void add_what_could_be_hidden(lines& to, const analysis& run) {
  const auto text = [&](double sum_s) {
    return of_a_rank_text(run, run.as_far_as_the_run_can_be(sum_s));
  };
  to.add("could be hidden, at most: by progress {}, by moving calls {}, by perfect overlap {}",
         text(run.waits.by_progress_s), text(run.waits.by_moving_s), text(run.bound_s));
}

/// Half of what a rank computes without a processor it spends ready to run, or it does not.
void add_stolen(lines& to, const analysis& run) {
  if (run.cores.spoils_waits || run.stolen_s <= 0.01 * run.all_s()) return;
  to.add("outside MPI a rank has no processor for {}: {}", of_a_rank_text(run, run.stolen_s),
         run.cores.queued_s > 0.5 * run.stolen_s
             ? "other programs or threads have its core"
             : "it sleeps, reads or writes files, or the kernel moves its data");
}

void add_instructions(lines& to, const analysis& run) {
  if (run.cycles <= 0) return;
  alike_ranks counted;
  for (const rank_result& one : run.ranks) {
    if (one.cycles > 0) counted.push_back(&one);
  }
  const figure_of_class of_ranks =
      figure_of(counted, [](const rank_result& of) { return of.instructions_per_cycle(); });
  to.add("computation: {} instructions per cycle, of ranks {} to {}",
         fixed(run.instructions_per_cycle(), 2), fixed(of_ranks.least, 2), fixed(of_ranks.most, 2));
}

/// Of many ranks those that are told by name in the result.
void add_outliers(lines& to, const analysis& run) {
  if (run.ranks.size() <= most_listed_ranks || run.cores.spoils_waits) return;
  const alike_ranks outliers = classify(run.ranks, run.wall_s).outliers;
  if (outliers.empty()) return;
  to.add("computing or waiting unlike nearly all other ranks: {}", ranks_text(outliers));
}

/// Sentences, and lines to write instead where most is to be saved.
void add_advice(lines& to, const analysis& run) {
  std::size_t advices = 0;
  const auto best = std::ranges::max_element(run.sites, {}, [](const site_result& one) {
    return one.advice.rewrite.empty() ? 0 : one.advice.gain_s;
  });
  for (auto site = run.sites.begin(); site != run.sites.end(); ++site) {
    if (site->advice.text.empty() || advices++ >= shown_sites) continue;
    to.add("{}", site->advice.text);
    if (site == best && !site->advice.rewrite.empty()) {
      to.add_code("  Written so, for example:", site->advice.rewrite);
    }
  }
}

}  // namespace

std::string summary_text(const analysis& run) {
  const profile_header& first = run.first;
  lines to;
  to.add("{}, {} ranks, {}", std::filesystem::path(first.program).filename().string(), first.ranks,
         time_text(run.wall_s));
  if (!run.cores.says.empty()) to.add("{}", run.cores.says);
  to.add("{} computes {}, is in MPI {} and waits there {}",
         run.is_of_threads() ? filled("each of {} threads", run.threads) : "a rank",
         of_a_rank_text(run, run.compute_s), of_a_rank_text(run, run.mpi_s),
         of_a_rank_text(run, run.waits.waiting_s));
  const bool knows_causes = !run.cores.spoils_waits;
  if (knows_causes) add_efficiency(to, run.pop);
  add_threads(to, run);
  add_regions(to, run);
  add_sites(to, run);
  if (knows_causes && run.has_network) add_what_could_be_hidden(to, run);
  if ((first.switches & switch_progress) != 0) {
    to.add("progress looked {} times, which took {} of a rank, and hid {} at least", run.looks,
           of_a_rank_text(run, run.look_s), of_a_rank_text(run, run.hidden_s));
  }
  add_instructions(to, run);
  add_stolen(to, run);
  add_outliers(to, run);
  for (const std::string& warning : run.warnings) to.add("note: {}", warning);
  add_advice(to, run);
  return to.take();
}

}  // namespace plait::attach
