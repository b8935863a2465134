// SPDX-License-Identifier: BSD-3-Clause
/// One rank's part of a reconstruction: its rays, the image, and the check of what came out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "measure/compare/verdict.hpp"
#include "scan.hpp"

namespace osem {

using plait::measure::setting;
using plait::measure::verdict;

/// Some rays of a subset that a task takes together.
struct ray_block {
  std::vector<std::uint32_t> rays;
  std::vector<double> y;
  std::vector<double> s;
  std::size_t first = 0;  ///< place of its first ray in `projection` and `ratio`

  [[nodiscard]] std::size_t size() const noexcept { return rays.size(); }
};

/// The elements of a block's rays, by slab.
using block_paths = std::vector<slab_elements>;

/// The image is replicated, the rays of each subset are dealt out to ranks in turns, and each of
/// `steps` updates ends in a sum of the whole image over ranks.  The image is cut into slabs along
/// its slowest axis.  Paths of rays are kept by slab: those of counts for good, those of a list for
/// one subset, the next one's being traced meanwhile.
class problem {
 public:
  /// Deals out the rays and, of counts, traces them.  Collective.
  problem(plait::environment& env, const scan& what, int slabs, int blocks);

  std::vector<double> image;
  std::vector<std::int64_t> credits;  ///< z, of this rank or of all
  std::vector<double> projection;     ///< 0 between updates
  std::vector<double> ratio;

  [[nodiscard]] const scan& what() const noexcept { return scan_; }
  [[nodiscard]] int slabs() const noexcept { return static_cast<int>(slab_begin_.size()) - 1; }
  [[nodiscard]] int subset_of(int step) const noexcept { return step % scan_.subsets; }
  [[nodiscard]] const count_scale& scale() const noexcept { return scale_; }

  template <class T>
  [[nodiscard]] std::span<T> slab(std::vector<T>& of, int which) const noexcept {
    return std::span(of).subspan(begin(which), begin(which + 1) - begin(which));
  }
  [[nodiscard]] std::span<const double> sensitivity(setting how, int step, int slab) const noexcept;

  [[nodiscard]] std::vector<ray_block>& blocks(int step) noexcept {
    return blocks_[static_cast<std::size_t>(subset_of(step))];
  }
  /// Of each block of a step's subset.
  [[nodiscard]] std::vector<block_paths>& paths(int step) noexcept {
    return paths_[static_cast<std::size_t>(is_list() ? step % 2 : subset_of(step))];
  }
  [[nodiscard]] std::span<double> part(std::vector<double>& of, const ray_block& block) const {
    return std::span(of).subspan(block.first, block.size());
  }

  /// Returns whether the paths of a step's rays must be traced before it: `trace` each block.
  [[nodiscard]] bool is_list() const noexcept { return scan_.is_list; }
  void trace(const ray_block& rays, block_paths& to) const;

  // All of a step's work of one kind, in the order of slabs.
  void trace(int step);
  void forward_all(int step);
  void forward_slab(int step, int slab);
  void compare_all(int step);
  void credit_slab(int step, int slab);
  void update_slab(setting how, int step, int slab);

  /// The image that all start from: 1 where a ray goes, else 0.
  [[nodiscard]] std::vector<double> start() const;
  [[nodiscard]] const std::vector<double>& whole_sensitivity(int subset) const noexcept {
    return sensitivity_[static_cast<std::size_t>(subset)];
  }
  void reset(setting how);
  /// Without background all counts of the last subset that a ray could bring are credited:
  /// Σ z = Σ y.  Collective.
  [[nodiscard]] verdict check_closed_form(setting how, int steps) const;
  [[nodiscard]] static double error_bound(setting how, int steps) noexcept;
  void keep_as_reference(std::vector<double> expected) { reference_ = std::move(expected); }
  /// The image against the kept one, every pixel, bit for bit.
  [[nodiscard]] verdict check_against_reference() const;

 private:
  [[nodiscard]] std::size_t begin(int slab) const noexcept {
    return slab_begin_[static_cast<std::size_t>(slab)];
  }
  void cut_into_slabs(int slabs);
  void deal_out(int blocks);
  void find_sensitivity();
  [[nodiscard]] std::vector<std::int64_t> summed_lengths(int subset,
                                                         const count_scale& scale) const;

  plait::environment& env_;
  const scan& scan_;
  count_scale scale_;
  std::vector<std::size_t> slab_begin_;
  std::vector<std::vector<ray_block>> blocks_;        ///< by subset
  std::vector<std::vector<block_paths>> paths_;       ///< by subset; of a list two, in turns
  std::vector<std::vector<double>> sensitivity_;      ///< by subset
  std::vector<std::vector<double>> own_sensitivity_;  ///< of this rank's rays alone
  std::vector<double> reference_;
};

/// Memory that a rank needs, in bytes, about.
[[nodiscard]] double memory_bytes(const scan& what, int ranks) noexcept;

}  // namespace osem
