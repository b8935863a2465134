// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "attach/analysis.hpp"

namespace plait::attach {
namespace {

constexpr std::size_t most_lines = 30;
constexpr std::size_t shown_sites = 5;

constexpr std::size_t line_width = 80;
constexpr std::size_t site_width = 29;

/// Lines of at most 80 columns and at most 30 of them: a sentence that does not fit is left out.
class lines {
 public:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    const std::vector<std::string> wrapped = wrap(fmt::format(format, std::forward<T>(values)...));
    if (count_ + wrapped.size() > most_lines) return;
    for (const std::string& one : wrapped) text_ += one + "\n";
    count_ += wrapped.size();
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  [[nodiscard]] static std::vector<std::string> wrap(const std::string& sentence) {
    std::vector<std::string> found;
    std::string left = "plait: " + sentence;
    while (left.size() > line_width) {
      const std::size_t blank = left.find_last_of(' ', line_width);
      if (blank == std::string::npos || blank < line_width / 2) break;  // one long name
      found.push_back(left.substr(0, blank));
      left = "plait:   " + left.substr(blank + 1);
    }
    found.push_back(left);
    return found;
  }

  std::string text_;
  std::size_t count_ = 0;
};

/// The call and its place; of a long place the end, which tells it from others.
[[nodiscard]] std::string short_place(const site_result& site) {
  const std::string whole = place_text(site);
  if (whole.size() <= site_width) return whole;
  const std::string call = whole.substr(0, whole.find(' ') + 1);
  std::string place = whole.substr(whole.find(" at ") + 4);
  if (!site.file.empty()) {
    const std::string file = std::filesystem::path(site.file).filename().string();
    place = fmt::format("{}:{}", file, site.line);
  }
  const std::size_t room = site_width - std::min(call.size(), site_width / 2);
  if (place.size() > room) place = "..." + place.substr(place.size() - room + 3);
  return call + place;
}

[[nodiscard]] double percent(double part, double of) noexcept {
  return of > 0 ? 100 * part / of : 0;
}

void add_sites(lines& to, const analysis& run, double all_s) {
  to.add(" waits sender receiv transf collec    count call site");
  std::size_t shown = 0;
  for (const site_result& site : run.sites) {
    const wait_split& w = site.waits;
    if (shown == shown_sites || w.waiting_s <= 0) break;
    ++shown;
    to.add("{:5.1f}% {:5.1f}% {:5.1f}% {:5.1f}% {:5.1f}% {:8} {}", percent(w.waiting_s, all_s),
           percent(w.late_sender_s, all_s), percent(w.late_receiver_s, all_s),
           percent(w.transfer_s, all_s), percent(w.collective_wait_s, all_s), site.count,
           short_place(site));
  }
}

void add_progress(lines& to, std::span<const rank_profile> ranks, const analysis& run,
                  double all_s) {
  std::uint64_t looks = 0;
  double look_s = 0;
  for (const rank_profile& one : ranks) {
    looks += one.header.looks;
    look_s += one.header.look_s;
  }
  to.add("progress: {} looks took {:.2f}%; {:.4f} s of communication were hidden", looks,
         percent(look_s, all_s), run.hidden_s);
}

}  // namespace

std::string summary_text(std::span<const rank_profile> ranks, const analysis& run) {
  const profile_header& first = ranks.front().header;
  const double all_s = run.compute_s + run.mpi_s;
  lines to;
  to.add("{}, {} ranks, {:.4f} s", std::filesystem::path(first.program).filename().string(),
         first.ranks, run.wall_s);
  to.add("of all ranks' time {:.1f}% computes, {:.1f}% is in MPI and {:.1f}% waits there",
         percent(run.compute_s, all_s), percent(run.mpi_s, all_s),
         percent(run.waits.waiting_s, all_s));
  const pop_metrics& p = run.pop;
  to.add("parallel efficiency {:.3f} = load balance {:.3f} x communication {:.3f}",
         p.parallel_efficiency, p.load_balance, p.communication_efficiency);
  to.add("  communication {:.3f} = serialisation {:.3f} x transfer {:.3f}",
         p.communication_efficiency, p.serialisation, p.transfer);
  add_sites(to, run, all_s);
  if (run.has_network) {
    to.add("could be hidden: by progress {:.1f}%, by moving calls {:.1f}%, bound {:.1f}%",
           percent(run.waits.by_progress_s, all_s), percent(run.waits.by_moving_s, all_s),
           percent(run.bound_s, all_s));
  }
  if ((first.switches & 2U) != 0) add_progress(to, ranks, run, all_s);
  if (run.stolen_s > 0.01 * all_s) {
    to.add("other threads took {:.1f}% of the time from computation", percent(run.stolen_s, all_s));
  }
  std::size_t advices = 0;
  for (const site_result& site : run.sites) {
    if (!site.advice.empty() && advices++ < shown_sites) to.add("{}", site.advice);
  }
  for (const std::string& warning : run.warnings) to.add("note: {}", warning);
  return to.take();
}

}  // namespace plait::attach
