// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "attach/analysis.hpp"

namespace plait::attach {
namespace {

constexpr std::size_t most_lines = 30;
constexpr std::size_t shown_sites = 5;

class lines {
 public:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    if (count_++ < most_lines) {
      text_ += "plait: " + fmt::format(format, std::forward<T>(values)...) + "\n";
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

[[nodiscard]] double percent(double part, double of) noexcept {
  return of > 0 ? 100 * part / of : 0;
}

void add_sites(lines& to, const analysis& run, double all_s) {
  to.add("  waits   late send  late recv  transfer  collective  count     site");
  std::size_t shown = 0;
  for (const site_result& site : run.sites) {
    const wait_split& w = site.waits;
    if (shown == shown_sites || w.waiting_s <= 0) break;
    ++shown;
    to.add("{:6.2f}%  {:8.2f}% {:9.2f}% {:8.2f}% {:10.2f}%  {:<8}  {}", percent(w.waiting_s, all_s),
           percent(w.late_sender_s, all_s), percent(w.late_receiver_s, all_s),
           percent(w.transfer_s, all_s), percent(w.collective_wait_s, all_s), site.count,
           place_text(site));
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
  to.add("computes {:.1f}%, in MPI {:.1f}%, of that waiting {:.1f}% (shares of all ranks' time)",
         percent(run.compute_s, all_s), percent(run.mpi_s, all_s),
         percent(run.waits.waiting_s, all_s));
  const pop_metrics& p = run.pop;
  to.add("parallel efficiency {:.3f} = load balance {:.3f} x communication efficiency {:.3f}",
         p.parallel_efficiency, p.load_balance, p.communication_efficiency);
  to.add("  communication efficiency = serialisation {:.3f} x transfer {:.3f}", p.serialisation,
         p.transfer);
  add_sites(to, run, all_s);
  if (run.has_network) {
    to.add(
        "could be hidden, at most: by progress alone {:.2f}%, by moving calls {:.2f}%, bound "
        "{:.2f}%",
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
