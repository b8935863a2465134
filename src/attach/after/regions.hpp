// SPDX-License-Identifier: BSD-3-Clause
/// Regions of a program's ranks as one tree, in shares of a job that are merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attach/after/wait_split.hpp"
#include "attach/books/profile_data.hpp"

namespace plait::attach {

struct rank_profile;

/// Sums over ranks of what a region did.  Its calls, bytes and waits are without those of the
/// regions inside it.
struct region_sums {
  char name[sizeof(region_data::name)] = {};
  int around = -1;  ///< the place in the list of the region around it; -1: of none
  int ranks = 0;
  std::uint64_t count = 0;
  std::uint64_t not_ended = 0;
  std::uint64_t calls = 0;  ///< of MPI
  std::uint64_t bytes = 0;
  double time_s = 0;
  double mpi_s = 0;
  double own_s = 0;
  double own_mpi_s = 0;
  double useful_s = 0;
  double most_useful_s = 0;  ///< of a rank
  double longest_s = 0;      ///< of a rank
  wait_split waits;

  void add(const region_sums& other) noexcept;
};

/// Counts what is wrong with regions of some ranks.
struct region_faults {
  std::uint64_t stray_ends = 0;
  std::uint64_t left_out = 0;
  char stray_name[sizeof(region_data::name)] = {};
};

/// Regions of some ranks, each behind the one around it.  The same names inside each other are one
/// region.
class region_tree {
 public:
  /// Adds those of a rank, and what its calls waited for, by its own numbers of regions.
  void add(const rank_profile& of, std::span<const wait_split> waits);
  void merge(const region_tree& other);
  [[nodiscard]] const std::vector<region_sums>& list() const noexcept { return list_; }
  [[nodiscard]] const region_faults& faults() const noexcept { return faults_; }
  void append_to(std::vector<std::byte>& bytes) const;
  [[nodiscard]] static region_tree taken_from(std::span<const std::byte>& bytes);

 private:
  [[nodiscard]] region_sums& find(int around, const char* name, int& place);
  void add_faults(const region_faults& other) noexcept;

  std::vector<region_sums> list_;
  std::map<std::pair<int, std::string>, int> known_;
  region_faults faults_;
};

}  // namespace plait::attach
