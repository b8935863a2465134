// SPDX-License-Identifier: BSD-3-Clause
/// Analysis of a job, after the run: waits, their causes, advice.  Pure arithmetic, on the profiles
/// of all ranks, or rank by rank.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attach/after/job_share.hpp"
#include "attach/after/matching.hpp"
#include "attach/after/rewrites.hpp"

namespace plait::attach {

/// A call in the program's code, by where it returns to.
struct code_place {
  std::string module;
  std::uint64_t offset = 0;
  // Filled in by `name_sites`.
  std::string function;  ///< as the source has it, demangled
  std::string file;
  int line = 0;
  std::string symbol;
  std::uint64_t symbol_offset = 0;
};

/// A change of the program at a call.
struct site_advice {
  std::string text;  ///< sentences; empty where nothing sure can be said
  call_pattern pattern = call_pattern::none;
  // What the change saves by the model, of all ranks, give or take the error.
  double gain_s = 0;
  double gain_error_s = 0;
  std::vector<std::string> rewrite;  ///< lines of the program's own language
};

/// A call of MPI, at a place; the place of a call in a wrapper is one site for each way there.
struct site_result : code_place, site_sums {
  int call = -1;
  /// Calls that led here, the nearest first.  The last is the first that is in no wrapper; none
  /// where the call of MPI itself is in no wrapper.
  std::vector<code_place> callers;
  bool is_named_by_way = false;  ///< the call's own place and the last caller's are another's, too
  /// Returns the first place that is in no wrapper: the program's own.
  [[nodiscard]] const code_place& owner() const noexcept {
    return callers.empty() ? *this : callers.back();
  }

  /// The place of another rank that this one waited for most, and how long; -1: none.
  int late_site = -1;
  double late_site_s = 0;
  int post_site = -1;  ///< where what is waited for here is started most often; -1: none
  site_advice advice;
};

struct pop_metrics {
  /// False where ranks have several threads, as no one path is a rank's then, and where no rank has
  /// the records of all.
  bool has_ideal = true;
  double load_balance = 1;
  double serialisation = 1;
  double transfer = 1;
  double communication_efficiency = 1;
  double parallel_efficiency = 1;
  double ideal_s = 0;  ///< the longest path with MPI at no cost
};

/// Ranks that wait for a core wait for no message: their waits mean something else then.
struct core_sharing {
  std::string says;  ///< nothing where every rank has a core
  bool spoils_waits = false;
  double queued_s = -1;  ///< ready to run without a core, of all ranks; -1: not known
};

/// A region of the program, with what is inside it where no `own` says otherwise.
struct region_result : region_sums {
  std::string path;  ///< its name, behind those of the regions around it
  std::size_t depth = 0;
  pop_metrics pop;
};
/// Returns regions by their times, each before those inside it.
[[nodiscard]] std::vector<region_result> regions_of(const region_tree& all);
/// Sentences on regions that were not ended, or not begun.
[[nodiscard]] std::vector<std::string> warnings_of_regions(
    const region_tree& all, const std::vector<region_result>& regions);

/// The sites of a job.  A call in a wrapper is one site for each of its callers; ways to a call
/// that differ beyond them are one.
class site_index {
 public:
  explicit site_index(const call_ways& of_all);
  [[nodiscard]] std::vector<site_result>& sites() noexcept { return sites_; }
  /// Numbers in the list of sites, by the keys of ways.
  [[nodiscard]] const std::map<std::uint64_t, int>& numbers() const noexcept { return numbers_; }
  /// Sites have new numbers, by their old ones.
  void renumber(std::span<const int> numbers) noexcept;

 private:
  std::map<std::uint64_t, int> numbers_;
  std::vector<site_result> sites_;
};

struct analysis : measured_times {
  profile_header first;  ///< rank 0's, or that of the first rank that is known
  double wall_s = 0;
  double clock_uncertainty_s = 0;
  bool has_network = false;
  double processor_s_per_byte = 0;  ///< that either end gives for a message
  std::uint32_t sampling = 0;
  pop_metrics pop;
  thread_times openmp;  ///< of all ranks; of no thread where none has a team
  hybrid_metrics hybrid;
  core_sharing cores;
  double longest_compute_s = 0;
  int longest_compute_rank = 0;
  std::vector<site_result> sites;                ///< by what they wait, the longest first
  std::map<std::uint64_t, int> numbers_of_ways;  ///< in `sites`
  std::vector<region_result> regions;            ///< each before those inside it, the longest first
  std::vector<rank_result> ranks;
  std::vector<late_pair> late_pairs;  ///< the longest first
  by_two<std::uint64_t> sizes;        ///< by call and log2 of the bytes
  traffic sent;
  std::vector<std::string> warnings;

  [[nodiscard]] double all_s() const noexcept { return compute_s + mpi_s; }
  /// Returns whether some rank calls MPI from several threads.
  [[nodiscard]] bool is_of_threads() const noexcept {
    return threads > static_cast<int>(ranks.size());
  }
  /// Mean of a rank, or of a thread where several of a rank call MPI, of what is summed over all.
  [[nodiscard]] double of_a_rank(double sum_s) const noexcept {
    return threads == 0 ? 0 : sum_s / threads;
  }
  /// A sum of what waits could be shorter, as far as the run can be: the rank that computes longest
  /// computes as long whatever is hidden.
  [[nodiscard]] double as_far_as_the_run_can_be(double sum_s) const noexcept;
};

[[nodiscard]] analysis analyse(std::span<const rank_profile> ranks);

/// Adds what one rank did, which the others have told it of their part in.
void add_rank(const rank_view& own, const counterparts& others, job_share& to);
/// Makes the analysis of a job of all its ranks' shares.  `ideal_s`: `ideal_seconds`; -1: not
/// known.
[[nodiscard]] analysis finish(site_index index, job_share all, const profile_header& first,
                              double ideal_s);

/// Takes apart the waits of a rank.  Adds to `result`, and to sites and pairs of `to`.
void take_waits_apart(const rank_view& own, const counterparts& others, rank_result& result,
                      job_share& to);

/// The longest path of the run if MPI cost nothing: each rank computes as it did, and waits only
/// for what it needs.
[[nodiscard]] double ideal_seconds(std::span<const rank_profile> ranks,
                                   const matched_records& matched);

/// Returns which cores ranks share, with each other or with other programs.
[[nodiscard]] core_sharing find_core_sharing(const job_share& all, const analysis& run);

/// Finds functions, files and lines of places.  Of code that was compiled into its caller, several
/// places, from the inside out.
[[nodiscard]] std::vector<std::vector<code_place>> name_places(
    const std::vector<code_place>& places);
/// Returns whether they have files and lines: where elfutils' libdw is missing they have none.
[[nodiscard]] bool can_name_lines();
/// Marks the sites that only the middle of the way to them tells apart.
void mark_similar_names(std::vector<site_result>& sites);
/// "ns::part<int>::send" of "void ns::part<int>::send<char>(char*) const".
[[nodiscard]] std::string name_without_types(const std::string& demangled);
/// A sentence for each site that is worth one.
void advise(analysis& on, bool has_progress);

/// "1.20 s (12.0%)": the mean of a rank and its share of the run, of a sum over ranks.
[[nodiscard]] std::string of_a_rank_text(const analysis& run, double sum_s);
[[nodiscard]] std::string time_text(double seconds);

/// "Isend" as the program calls it, "Recv at exchange (ring.c:41)", or in a wrapper "Recv at step
/// (ring.c:73) <- exchange (ring.c:41)".  Between them stand the callers' lines where only those
/// tell the site from another.
[[nodiscard]] std::string call_name(int call);
[[nodiscard]] std::string place_text(const site_result& site);
/// "exchange (ring.c:41)", "exchange+0x2f", or "ring+0x112f".
[[nodiscard]] std::string place_text(const code_place& place);
/// "ring.c:41", "exchange+0x2f", or "ring+0x112f".
[[nodiscard]] std::string short_place_text(const code_place& place);

[[nodiscard]] std::string result_json(const analysis& found);
/// At most 30 lines.
[[nodiscard]] std::string summary_text(const analysis& found);

}  // namespace plait::attach
