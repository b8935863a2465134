// SPDX-License-Identifier: BSD-3-Clause
/// Bulk, Gather, Scatter and Flagged: the ways to get the parts of x that others own, and to
/// multiply. [overlap-probes, algorithms 6 to 8]
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "measure/probe/part_watch.hpp"
#include "split_rows.hpp"

namespace spmv_probe {

enum class algorithm : std::uint8_t {
  bulk,     ///< all gets, then all waits, then the product  [algorithm 6]
  gather,   ///< gets, eta blocks ahead  [algorithm 7]
  scatter,  ///< signalling puts, eta blocks ahead  [algorithm 8]
  flagged,  ///< as scatter, each signal a put of its own behind the data's  [section 5.2]
};

/// Parts of the algorithms that the timers of the text stand around.  [section 6.2, and 6.3 for the
/// last two]
enum part : std::uint8_t { prefetch_init, pipeline_init, comm_sync, at_barrier, local, remote };
inline constexpr std::array<std::string_view, 6> part_names{
    "prefetch_init_s", "pipeline_init_s",     "comm_sync_s",
    "barrier_s",       "local_computation_s", "remote_dependent_computation_s"};

/// One way to do a product.
struct course {
  algorithm what = algorithm::gather;
  int eta = 1;               ///< blocks fetched, or sent, before the first is computed; 0 to P - 1
  bool computes = true;      ///< false: figures 6 and 7
  bool communicates = true;  ///< false: "no comm" of figures 18 and 19; `x` must be complete then
};

/// The vectors of a rank.  Those that others access are in windows.
struct vectors {
  std::span<double> own;  ///< this rank's part of x
  std::span<double> x;    ///< all of x, as it is fetched; this rank's part is not used
  std::vector<double> y;
};

/// Products on one runtime, whose windows it makes.
class prober {
 public:
  /// Collective.  Has `v` point to its windows, and outlive it.
  prober(plait::runtime& rt, const even_shares& shares, vectors& v,
         const plait::window_options& windows);

  /// Does one product, from a barrier to a barrier, and returns what it went to.  y += A x.
  /// Collective.
  [[nodiscard]] plait::measure::part_watch run(const split_rows& a, const course& how);

  /// Returns what the windows run on.
  [[nodiscard]] const plait::window_choice& windows() const noexcept { return own_.chosen(); }

  /// Gets `count` blocks from rank `partner` into `to`, all at once, and waits.  With `partner` <
  /// 0 this rank only waits for the others.  Returns the seconds of both.  Collective.
  [[nodiscard]] double flood_s(int partner, std::span<double> to, int count);
  /// Gets one element from `partner`, `times` times, one after the other.  Seconds of one.
  [[nodiscard]] double round_trip_s(int partner, int times);

 private:
  using watch = plait::measure::part_watch;
  void bulk(const split_rows& a, const course& how, watch& time);
  void gather(const split_rows& a, const course& how, watch& time);
  void scatter(const split_rows& a, const course& how, watch& time);
  void multiply(const split_rows& a, const course& how, int t, watch& time);
  void get(int from);
  void put(int to);
  void put_and_flag(int to);
  void barrier();
  [[nodiscard]] int rank_at(int distance) const noexcept;
  [[nodiscard]] std::span<double> part_of(int rank) noexcept;

  plait::runtime& rt_;
  const even_shares shares_;
  const int rank_;
  vectors& v_;
  plait::window<double> own_;
  plait::window<double> fetched_;
  std::vector<double> outgoing_;  ///< of flagged: this rank's part once for each other rank
  int order_ = 0;                 ///< what barriers order
};

}  // namespace spmv_probe
