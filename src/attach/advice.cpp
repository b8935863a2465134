// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "attach/analysis.hpp"
#include "attach/calls.hpp"

namespace plait::attach {
namespace {

[[nodiscard]] std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.1f} ms", 1e3 * seconds);
  return fmt::format("{:.0f} us", 1e6 * seconds);
}

[[nodiscard]] bool is_blocking_message(std::string_view call) noexcept {
  return call == "MPI_Send" || call == "MPI_Recv" || call == "MPI_Ssend" ||
         call == "MPI_Sendrecv" || call == "MPI_Sendrecv_replace";
}

/// Returns one sentence that names the main cause of the site's waiting, and the change that would
/// remove it.
[[nodiscard]] std::string advice_for(const site_result& site, const analysis& run,
                                     bool has_progress) {
  const wait_split& w = site.waits;
  const std::string here = place_text(site);
  const std::string_view call = call_names[site.call];
  const double most_s = std::max({w.late_sender_s, w.late_receiver_s, w.transfer_s,
                                  w.collective_wait_s, w.other_wait_s, w.by_progress_s});
  if (!has_progress && w.by_progress_s > 0.25 * w.waiting_s) {
    return fmt::format(
        "{} waits {} for messages that could have arrived while ranks computed: run "
        "with --progress.",
        here, time_text(w.by_progress_s));
  }
  const bool has_culprit = site.late_site >= 0;
  const std::string culprit =
      has_culprit ? place_text(run.sites[static_cast<std::size_t>(site.late_site)]) : "";
  if (most_s == w.late_sender_s && has_culprit) {
    return fmt::format(
        "{} waits {} for sends that come late: post {} earlier, or do other work "
        "before waiting.",
        here, time_text(w.late_sender_s), culprit);
  }
  if (most_s == w.late_receiver_s && has_culprit) {
    return fmt::format("{} waits {} until its messages may be taken: post {} before they are sent.",
                       here, time_text(w.late_receiver_s), culprit);
  }
  if (most_s == w.collective_wait_s) {
    return fmt::format(
        "{} waits {} for the rank that comes last, most often rank {}: balance the "
        "work before it.",
        here, time_text(w.collective_wait_s), site.latest_rank);
  }
  if (most_s == w.transfer_s && is_blocking_message(call)) {
    return fmt::format(
        "{} waits {} for data under way: start it earlier with MPI_{}, compute, and "
        "wait.",
        here, time_text(w.transfer_s),
        call == "MPI_Recv"                 ? "Irecv"
        : call.starts_with("MPI_Sendrecv") ? "Irecv and MPI_Isend"
                                           : "Isend");
  }
  if (most_s == w.transfer_s) {
    return fmt::format(
        "{} waits {} for data under way: more computation between the start and the "
        "wait would hide it.",
        here, time_text(w.transfer_s));
  }
  return {};
}

}  // namespace

std::string call_name(int call) {
  const std::string_view name = call < 0 ? "?" : call_names[call];
  return std::string(name.starts_with("MPI_") ? name.substr(4) : name);
}

std::string place_text(const code_place& place) {
  if (!place.file.empty()) {
    const std::string file = std::filesystem::path(place.file).filename().string();
    return fmt::format("{} ({}:{})", place.function, file, place.line);
  }
  if (!place.symbol.empty()) return fmt::format("{}+{:#x}", place.function, place.symbol_offset);
  const std::string module = std::filesystem::path(place.module).filename().string();
  return fmt::format("{}+{:#x}", module.empty() ? "?" : module, place.offset);
}

std::string place_text(const site_result& site) {
  std::string text = call_name(site.call) + " at " + place_text(site.owner());
  if (!site.callers.empty()) text += " <- " + place_text(static_cast<const code_place&>(site));
  return text;
}

void advise(analysis& on, bool has_progress) {
  for (site_result& site : on.sites) {
    // A hundredth of what all ranks' time is, or it is not worth a sentence.
    const double all_s = on.compute_s + on.mpi_s;
    if (site.waits.waiting_s < 0.01 * all_s) continue;
    site.advice = advice_for(site, on, has_progress);
  }
}

}  // namespace plait::attach
