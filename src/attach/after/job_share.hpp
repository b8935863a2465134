// SPDX-License-Identifier: BSD-3-Clause
/// Shares of ranks in the result of their job.  They are merged, in any order, until one is that of
/// all.  A share of all 10 000 ranks takes some 10 MB, whatever they have sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "attach/after/hybrid.hpp"
#include "attach/after/rank_profile.hpp"
#include "attach/after/regions.hpp"
#include "attach/after/wait_split.hpp"

namespace plait::attach {

/// Results have a line for each rank up to this number of ranks, and classes of ranks beyond.
inline constexpr int most_listed_ranks = 64;

/// Sums over ranks of what a site did.
struct site_sums {
  std::uint64_t count = 0;
  std::uint64_t fails = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;
  wait_split waits;
  double worst_rank_s = 0;  ///< waiting of the rank that waits most here
  int worst_rank = 0;
  double computed_in_flight_s = 0;  ///< between the starts of what is waited for and the calls here
  // Of the calls that were noted: how often one followed another here with no other wait between.
  std::uint64_t waits_noted = 0;
  std::uint64_t rows = 0;
  std::uint64_t back_to_back = 0;  ///< nearly without computation, whoever the peers are
  double computed_in_rows_s = 0;
  double processor_s = 0;  ///< that the ranks here give for the messages that were waited for

  void add(const site_sums& other) noexcept;
  /// Notes that a rank has waited here.
  void note_rank(int rank, double waited_s) noexcept;
};

/// Times of a rank, or their sums.
struct measured_times {
  int threads = 0;       ///< that have called MPI
  double compute_s = 0;  ///< of all of them, each from its first call to its last
  double mpi_s = 0;
  double stolen_s = 0;
  double cycles = 0;        ///< of a part of the computation; 0: not counted
  double instructions = 0;  ///< of the same part
  double hidden_s = 0;
  double bound_s = 0;
  std::uint64_t looks = 0;
  double look_s = 0;
  double look_cpu_s = 0;
  wait_split waits;

  void add(const measured_times& other) noexcept;
  /// Returns 0 where they are not known.
  [[nodiscard]] double instructions_per_cycle() const noexcept {
    return cycles > 0 ? instructions / cycles : 0;
  }
};

struct rank_result : measured_times {
  int rank = 0;
  char host[sizeof(profile_header::host)] = {};
  double wall_s = 0;
  double communication_s = 0;  ///< what its messages need on the network, alone
  std::uint64_t sent_bytes = 0;
  int sends_to = 0;  ///< ranks
  thread_times openmp;
};

struct late_pair {
  int from = 0;
  int to = 0;
  double seconds = 0;
  std::uint64_t messages = 0;
};

/// Who sends how much to whom.  Beyond the ranks that are listed a row is several ranks that follow
/// each other, and so is a column.
class traffic {
 public:
  traffic() = default;
  explicit traffic(int ranks);
  void add(const rank_profile& one);
  void add(const traffic& other) noexcept;
  [[nodiscard]] int ranks_a_row() const noexcept { return ranks_a_row_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::span<const std::uint64_t> bytes(std::size_t row) const noexcept {
    return std::span(sums_).subspan(row * rows_, rows_);
  }
  [[nodiscard]] std::span<const std::uint64_t> messages(std::size_t row) const noexcept {
    return std::span(sums_).subspan((rows_ + row) * rows_, rows_);
  }
  /// Both, for a message between ranks.
  [[nodiscard]] std::vector<std::uint64_t>& sums() noexcept { return sums_; }
  [[nodiscard]] const std::vector<std::uint64_t>& sums() const noexcept { return sums_; }

 private:
  int ranks_a_row_ = 1;
  std::size_t rows_ = 0;
  std::vector<std::uint64_t> sums_;
};

using core_set = std::array<std::uint64_t, most_cores / 64>;

/// Ranks of one machine, and the cores that they have among them.
struct core_group {
  std::uint64_t boot = 0;
  core_set cores{};
  char host[sizeof(profile_header::host)] = {};
  int ranks = 0;

  void add(const core_group& other) noexcept;
};

/// A rank that did not come to its end.
struct ended_rank {
  int rank = 0;
  run_state state = run_state::running;
};

/// A send buffer of a rank that changed, by the numbers of sites in the list of all.
struct changed_send {
  int rank = 0;
  int post_site = -1;
  int wait_site = -1;
  std::uint64_t times = 0;
};

/// Of what the figures do not hold, how much there is.
struct counted {
  std::uint64_t records = 0;
  std::uint64_t unmatched = 0;
  std::uint64_t calls_left_out = 0;
  std::uint64_t outside = 0;  ///< messages to and from ranks of other worlds
  std::uint64_t changed = 0;  ///< entries for changed buffers
  std::uint64_t tasks = 0;    ///< of OpenMP, whose times are not known
  std::uint64_t queued_unknown = 0;
  double queued_s = 0;  ///< without what this library's own threads took
  double clock_uncertainty_s = 0;
  std::uint32_t sampling = 0;

  void add(const counted& other) noexcept;
};

/// By two numbers: sites, ranks, or a call and a size.
template <class Value>
using by_two = std::map<std::pair<int, int>, Value>;

struct job_share {
  job_share() = default;
  job_share(std::size_t site_count, int rank_count) : sites(site_count), sent(rank_count) {}

  std::vector<site_sums> sites;     ///< by their numbers in the list of all
  by_two<double> late_at;           ///< seconds, by a site and the one that it waited for
  by_two<std::uint64_t> posted_at;  ///< waits, by a site and the one that had started them
  by_two<std::uint64_t> sizes;      ///< messages, by call and log2 of the bytes
  by_two<late_pair> late_pairs;     ///< by sender and receiver; of many those that wait longest
  std::vector<rank_result> ranks;   ///< in their order
  std::map<std::pair<std::uint64_t, core_set>, core_group> cores;
  std::vector<ended_rank> ended;      ///< the first of them
  std::vector<changed_send> changed;  ///< the first of them
  traffic sent;
  region_tree regions;
  counted counts;

  /// Adds the share of other ranks, with the same sites.
  void merge(const job_share& other);
  [[nodiscard]] std::vector<std::byte> packed() const;
  [[nodiscard]] static job_share unpacked(std::span<const std::byte> packed, int ranks);
};

}  // namespace plait::attach
