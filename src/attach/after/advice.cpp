// SPDX-License-Identifier: BSD-3-Clause
// A sentence for each site that waits long: what it waits for, and the change of the program that
// can help there.  A site of which nothing sure can be said has none.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "attach/after/analysis.hpp"
#include "attach/calls.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

enum class pattern : std::uint8_t { other, message, completion, barrier, collective };
enum class delay : std::uint8_t { sender, receiver, collective, transfer, unknown };

/// Without the ending of calls with large counts.
[[nodiscard]] std::string_view name_of(const site_result& site) noexcept {
  const std::string_view name = site.call < 0 ? "?" : call_names[site.call];
  return name.substr(0, name.size() - (name.ends_with("_c") ? 2 : 0));
}

/// Returns "Iallreduce" of "MPI_Allreduce"; nothing where MPI has no such call.
[[nodiscard]] std::string started_form(std::string_view call) {
  if (!call.starts_with("MPI_")) return {};
  std::string form = "I" + std::string(call.substr(4));
  form[1] = static_cast<char>(std::tolower(static_cast<unsigned char>(form[1])));
  const std::string whole = "MPI_" + form;
  const bool is_known =
      std::ranges::find(call_names, std::string_view(whole)) != std::end(call_names);
  return is_known ? form : std::string{};
}

[[nodiscard]] pattern pattern_of(std::string_view call) {
  if (call == "MPI_Barrier") return pattern::barrier;
  if (call.starts_with("MPI_Wait")) return pattern::completion;
  for (const std::string_view one : {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Recv", "MPI_Mrecv",
                                     "MPI_Sendrecv", "MPI_Sendrecv_replace"}) {
    if (call == one) return pattern::message;
  }
  // Of what else has a form that starts it.
  const bool is_of_messages = call == "MPI_Bsend" || call == "MPI_Probe" || call == "MPI_Mprobe";
  if (!is_of_messages && !started_form(call).empty()) return pattern::collective;
  return pattern::other;
}

[[nodiscard]] delay longest_delay(const wait_split& w) noexcept {
  const std::pair<double, delay> all[] = {{w.late_sender_s, delay::sender},
                                          {w.late_receiver_s, delay::receiver},
                                          {w.collective_wait_s, delay::collective},
                                          {w.transfer_s, delay::transfer},
                                          {w.other_wait_s, delay::unknown}};
  return std::ranges::max_element(all, {}, [](const auto& one) { return one.first; })->second;
}

/// A change of the program at a site, and what it saves of all ranks' time.
struct change {
  std::string what;  ///< from a capital letter on and without the full stop; empty: none
  call_pattern of = call_pattern::none;
  double least_s = 0;
  double most_s = 0;
};

/// One site and what was found of it.
class adviser {
 public:
  adviser(const site_result& site, const analysis& run, bool has_progress)
      : site_(site),
        run_(run),
        has_progress_(has_progress),
        call_(name_of(site)),
        pattern_(pattern_of(call_)),
        delay_(longest_delay(site.waits)) {}

  [[nodiscard]] site_advice advice() const {
    const change found = remedy();
    if (found.what.empty()) return {};
    const std::string_view words = words_of(found.of);
    site_advice given{.text = {},
                      .pattern = found.of,
                      .rewrite = rewritten(found.of, call_, in_a_row(), site_.owner().file)};
    set_gain(found, given);
    given.text = filled("{}: a rank waits {}{}{}{}. {}.{}", place_text(site_),
                        of_a_rank_text(run_, site_.waits.waiting_s), mostly_for(),
                        words.empty() ? "" : ", in ", words, found.what, gain_text(given));
    return given;
  }

 private:
  [[nodiscard]] const char* mostly_for() const noexcept {
    constexpr const char* by_delay[] = {
        ", mostly for sends that come late", ", mostly for receives that come late",
        ", mostly for the rank that comes last", ", mostly for data under way", ""};
    const bool is_plain = delay_ == delay::transfer && pattern_ == pattern::barrier;
    return is_plain ? "" : by_delay[static_cast<int>(delay_)];
  }

  [[nodiscard]] change remedy() const {
    const wait_split& w = site_.waits;
    const bool is_known = delay_ != delay::unknown && pattern_ != pattern::other;
    if (!is_known || w.waiting_s <= 0) return {};
    if (comes_from_unequal_work()) {
      return {filled("Rank {} computes {}, a rank on average {}: give it less of the work",
                     run_.longest_compute_rank, time_text(run_.longest_compute_s),
                     time_text(run_.of_a_rank(run_.compute_s)))};
    }
    if (pattern_ == pattern::barrier) {
      // Who comes late may be waited for elsewhere then.
      return {"Messages need no barrier: leave it out, unless files, windows or clocks need it",
              call_pattern::barrier, w.transfer_s, w.waiting_s};
    }
    if (is_many_in_a_row()) {
      const double saved = 1 - 1 / calls_in_a_row();
      return {combined(), call_pattern::calls_in_a_row, saved * w.transfer_s, saved * w.waiting_s};
    }
    if (!has_progress_ && w.by_progress_s > 0.25 * w.waiting_s) {
      return {"The messages could arrive while ranks compute: run with --progress"};
    }
    // Moving calls helps where there is computation beside them.
    if (w.by_moving_s < 0.1 * w.waiting_s) return {};
    return moved(pattern_ == pattern::completion ? earlier_start() : split());
  }

  /// Returns what is moved behind computation, with the looks that the sentence asks for.  Its
  /// transfer for sure, and what late ranks cause perhaps.  The processor time of the transport
  /// goes from the wait into the computation, and is not saved.
  [[nodiscard]] change moved(std::string what) const {
    const wait_split& w = site_.waits;
    const call_pattern of = pattern_of_calls();
    // Of parts that are started one after another the last has nothing to hide behind.
    const double part = of == call_pattern::transpose ? 0.75 : 1;
    const double transfer_s = w.by_moving_s * w.transfer_s / w.waiting_s;
    const double sure_s = std::max(0.0, transfer_s - processor_s());
    return {std::move(what), of, part * sure_s, part * (sure_s + w.by_moving_s - transfer_s)};
  }

  [[nodiscard]] call_pattern pattern_of_calls() const noexcept {
    if (pattern_ == pattern::completion) {
      return computes_meanwhile() ? call_pattern::none : call_pattern::waited_at_once;
    }
    if (call_.starts_with("MPI_Alltoall")) return call_pattern::transpose;
    if (pattern_ == pattern::collective) return call_pattern::collective;
    return is_chain() ? call_pattern::sendrecv_chain : call_pattern::blocking_exchange;
  }

  /// Sendrecv with one neighbour after another: in a loop, or at several places of a function.
  [[nodiscard]] bool is_chain() const noexcept {
    if (!call_.starts_with("MPI_Sendrecv")) return false;
    if (2 * site_.back_to_back >= std::max<std::uint64_t>(1, site_.waits_noted)) return true;
    const code_place& own = site_.owner();
    return !own.function.empty() && std::ranges::any_of(run_.sites, [&](const site_result& other) {
      return &other != &site_ && name_of(other).starts_with("MPI_Sendrecv") &&
             other.owner().function == own.function && other.owner().module == own.module;
    });
  }

  /// Processor time of the data that the site waits for.
  [[nodiscard]] double processor_s() const noexcept {
    if (pattern_ != pattern::collective) return site_.processor_s;
    return run_.processor_s_per_byte * static_cast<double>(site_.bytes);
  }

  /// The middle of what is possible.  Clocks that differ and samples widen it, and nothing saves
  /// more than the site waits or than the run can be shorter.
  void set_gain(const change& found, site_advice& to) const {
    if (found.most_s <= 0) return;
    const auto noted = static_cast<double>(std::max<std::uint64_t>(1, site_.waits_noted));
    const double of_clocks_s = run_.clock_uncertainty_s * noted;
    const double of_sample = run_.sampling > 0 ? 1 / std::sqrt(noted) : 0;
    const double most_s = run_.as_far_as_the_run_can_be(
        std::min(site_.waits.waiting_s, (1 + of_sample) * found.most_s + of_clocks_s));
    const double least_s = std::clamp((1 - of_sample) * found.least_s - of_clocks_s, 0.0, most_s);
    to.gain_s = 0.5 * (least_s + most_s);
    to.gain_error_s = 0.5 * (most_s - least_s);
  }

  [[nodiscard]] std::string gain_text(const site_advice& of) const {
    if (of.gain_s <= 0) return {};
    return filled(" By the model this saves {} of a rank, give or take {}.",
                  of_a_rank_text(run_, of.gain_s), time_text(run_.of_a_rank(of.gain_error_s)));
  }

  /// Half of what ranks wait is what the one with most work computes longer: no message is the
  /// cause then.
  [[nodiscard]] bool comes_from_unequal_work() const noexcept {
    if (delay_ == delay::transfer) return false;
    const double longer_s = run_.longest_compute_s - run_.of_a_rank(run_.compute_s);
    return longer_s > 0.5 * run_.of_a_rank(run_.waits.waiting_s);
  }

  [[nodiscard]] static double bytes_of_a_call(const site_result& of) noexcept {
    return of.count > 0 ? static_cast<double>(of.bytes) / static_cast<double>(of.count) : 0;
  }
  [[nodiscard]] double calls_in_a_row() const noexcept {
    return site_.rows > 0 ? static_cast<double>(site_.waits_noted) / static_cast<double>(site_.rows)
                          : 0;
  }
  [[nodiscard]] std::uint64_t in_a_row() const noexcept {
    return static_cast<std::uint64_t>(calls_in_a_row() + 0.5);
  }
  /// Short ones, one after the other for the same ranks.  One row that goes on for the whole run
  /// may be the steps of the program, whose computation lies between them.
  [[nodiscard]] bool is_many_in_a_row() const noexcept {
    constexpr double many = 4;
    constexpr double short_bytes = 4096;
    if (run_.sampling > 0 || pattern_ == pattern::completion) return false;
    if (calls_in_a_row() < many || bytes_of_a_call(site_) > short_bytes) return false;
    const bool comes_again = site_.rows >= 2 * run_.ranks.size();
    return comes_again || site_.computed_in_rows_s < site_.waits.waiting_s;
  }
  [[nodiscard]] std::string combined() const {
    return filled(
        "{} calls in a row move {} bytes each: move all of it with one call, "
        "unless one needs what the one before brought",
        fixed(calls_in_a_row(), 0), fixed(bytes_of_a_call(site_), 0));
  }

  /// A blocking call becomes a start and a wait, where what follows can do without it for a while.
  [[nodiscard]] std::string split() const {
    const bool is_exchange = call_.starts_with("MPI_Sendrecv");
    const std::string start = is_exchange ? "Irecv and MPI_Isend" : started_form(call_);
    if (start.empty()) return {};
    return filled(
        "Start it with MPI_{}, compute what does not touch {}, then MPI_{}{}, unless what follows "
        "{} at once",
        start, is_exchange ? "their buffers" : "its buffer", is_exchange ? "Waitall" : "Wait",
        with_progress(), only_sends() ? "writes its buffer" : "needs its result");
  }
  [[nodiscard]] bool only_sends() const noexcept {
    return call_ == "MPI_Send" || call_ == "MPI_Ssend" || call_ == "MPI_Rsend";
  }

  /// A wait costs less if its messages start earlier, or if more is computed before it.
  [[nodiscard]] std::string earlier_start() const {
    const std::string from = name(site_.post_site);
    if (from.empty()) return {};
    const bool computes = computes_meanwhile();
    return filled(
        "{} between {} and this wait: {}compute there what does not touch the "
        "buffers{}{}",
        computes ? "Too little is computed" : "Next to nothing is computed", from,
        computes ? "start earlier, or " : "", late_start(), with_progress());
  }
  [[nodiscard]] bool computes_meanwhile() const noexcept {
    return site_.computed_in_flight_s > 0.1 * site_.waits.waiting_s;
  }
  [[nodiscard]] std::string late_start() const {
    const std::string late = name(site_.late_site);
    const bool is_other =
        !late.empty() && late != place_text(site_) && site_.late_site != site_.post_site;
    if (delay_ == delay::transfer || !is_other) return {};
    return filled(", and call {} as soon as its {}", late,
                  delay_ == delay::receiver ? "buffer is free" : "data is ready");
  }

  [[nodiscard]] std::string name(int site) const {
    return site < 0 ? std::string{} : place_text(run_.sites[static_cast<std::size_t>(site)]);
  }

  [[nodiscard]] std::string with_progress() const {
    return needs_looks() && !has_progress_ ? " (with --progress)" : "";
  }
  /// Long messages and collectives of most libraries move inside MPI calls only.
  [[nodiscard]] bool needs_looks() const noexcept {
    constexpr double long_bytes = 64 << 10;
    return pattern_ == pattern::collective || bytes_of_a_call(posting_site()) >= long_bytes;
  }
  /// Returns the place where the messages are started.
  [[nodiscard]] const site_result& posting_site() const noexcept {
    const bool is_elsewhere = pattern_ == pattern::completion && site_.post_site >= 0;
    return is_elsewhere ? run_.sites[static_cast<std::size_t>(site_.post_site)] : site_;
  }

  const site_result& site_;
  const analysis& run_;
  bool has_progress_;
  std::string_view call_;
  pattern pattern_;
  delay delay_;
};

}  // namespace

std::string time_text(double seconds) {
  if (seconds >= 0.9995) return fixed(seconds, 2) + " s";
  if (seconds >= 0.9995e-3) return fixed(1e3 * seconds, 1) + " ms";
  return fixed(1e6 * seconds, 0) + " us";
}

std::string of_a_rank_text(const analysis& run, double sum_s) {
  const double all_s = run.all_s();
  return filled("{} ({}%)", time_text(run.of_a_rank(sum_s)),
                fixed(all_s > 0 ? 100 * sum_s / all_s : 0, 1));
}

std::string call_name(int call) {
  const std::string_view name = call < 0 ? "?" : call_names[call];
  return std::string(name.starts_with("MPI_") ? name.substr(4) : name);
}

std::string short_place_text(const code_place& place) {
  if (!place.file.empty()) {
    return filled("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  }
  if (!place.symbol.empty()) return filled("{}+0x{}", place.function, hex(place.symbol_offset));
  const std::string module = std::filesystem::path(place.module).filename().string();
  return filled("{}+0x{}", module.empty() ? "?" : module, hex(place.offset));
}

std::string place_text(const code_place& place) {
  const std::string text = short_place_text(place);
  return place.file.empty() ? text : filled("{} ({})", place.function, text);
}

std::string place_text(const site_result& site) {
  std::string text = call_name(site.call) + " at " + place_text(site.owner());
  if (site.callers.empty()) return text;
  for (std::size_t i = site.callers.size() - 1; site.is_named_by_way && i > 0; --i) {
    text += " <- " + short_place_text(site.callers[i - 1]);
  }
  return text + " <- " + place_text(static_cast<const code_place&>(site));
}

void mark_similar_names(std::vector<site_result>& sites) {
  std::map<std::string, int> times;
  for (const site_result& site : sites) ++times[place_text(site)];
  std::vector<bool> is_similar;
  for (const site_result& site : sites) is_similar.push_back(times[place_text(site)] > 1);
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i].is_named_by_way = is_similar[i];
}

void advise(analysis& on, bool has_progress) {
  if (on.cores.spoils_waits) return;
  for (site_result& site : on.sites) {
    // A hundredth of what all ranks' time is, or it is not worth a sentence.
    if (site.waits.waiting_s < 0.01 * on.all_s()) continue;
    site.advice = adviser(site, on, has_progress).advice();
  }
}

}  // namespace plait::attach
