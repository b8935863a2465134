// SPDX-License-Identifier: BSD-3-Clause
// Regions of all ranks as one tree: those with the same name, inside the same others, are one.  The
// efficiency of a region is that of a run that is nothing but the region.  [POP: u useful time of
// each rank in it, T the longest time of a rank in it]
#include <algorithm>
#include <cstring>
#include <string_view>

#include "attach/after/analysis.hpp"
#include "attach/after/packed.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

/// Times of one rank in its own regions, by their numbers.
struct rank_times {
  std::vector<double> own_s;
  std::vector<double> own_mpi_s;
  std::vector<double> all_s;
  std::vector<double> all_mpi_s;

  explicit rank_times(const rank_profile& of) : own_mpi_s(of.regions.size()) {
    const double rate = of.header.seconds_per_tick;
    for (const auto& [number, site] : of.sites) {
      if (site.region == no_region) continue;
      own_mpi_s[static_cast<std::size_t>(site.region)] += static_cast<double>(site.time) * rate;
    }
    all_mpi_s = own_mpi_s;
    for (const region_data& one : of.regions) {
      all_s.push_back(static_cast<double>(one.time) * rate);
    }
    own_s = all_s;
    for (std::size_t i = of.regions.size(); i-- > 1;) {  // those inside a region come after it
      all_s[i] = std::max(all_s[i], all_mpi_s[i]);
      const auto around = static_cast<std::size_t>(of.regions[i].around);
      if (around == no_region) continue;
      own_s[around] = std::max(0.0, own_s[around] - all_s[i]);
      all_mpi_s[around] += all_mpi_s[i];
    }
  }
};

[[nodiscard]] pop_metrics pop_of(const region_sums& of) {
  pop_metrics pop;
  pop.has_ideal = false;
  if (of.most_useful_s <= 0 || of.longest_s <= 0) return pop;
  const double mean_s = of.useful_s / of.ranks;
  pop.load_balance = mean_s / of.most_useful_s;
  pop.communication_efficiency = of.most_useful_s / of.longest_s;
  pop.parallel_efficiency = mean_s / of.longest_s;
  return pop;
}

/// Makes results of sums: with what is inside each region, and sorted.
class region_sorter {
 public:
  explicit region_sorter(std::vector<region_sums> sums) : sums_(std::move(sums)) {
    for (std::size_t i = sums_.size(); i-- > 0;) {  // those inside a region come after it
      if (sums_[i].around < 0) continue;
      region_sums& outer = sums_[static_cast<std::size_t>(sums_[i].around)];
      outer.calls += sums_[i].calls;
      outer.bytes += sums_[i].bytes;
      outer.waits.add(sums_[i].waits);
    }
  }
  /// Adds the regions inside one, the longest first, each before those inside it.
  void add_those_in(int around, int place, std::vector<region_result>& to) const {
    std::vector<std::size_t> inside;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].around == around) inside.push_back(i);
    }
    std::ranges::sort(inside, {}, [&](std::size_t i) {
      return std::pair(-sums_[i].time_s, std::string_view(sums_[i].name));
    });
    for (const std::size_t one : inside) {
      const auto own_place = static_cast<int>(to.size());
      to.push_back(result_of(sums_[one], place, to));
      add_those_in(static_cast<int>(one), own_place, to);
    }
  }

 private:
  [[nodiscard]] static region_result result_of(const region_sums& of, int around,
                                               const std::vector<region_result>& before) {
    region_result made;
    static_cast<region_sums&>(made) = of;
    made.around = around;
    made.path = of.name;
    if (around >= 0) {
      const region_result& outer = before[static_cast<std::size_t>(around)];
      made.path = outer.path + "/" + of.name;
      made.depth = outer.depth + 1;
    }
    const double most_s = std::max(0.0, of.ranks * (of.longest_s - of.most_useful_s));
    for (double wait_split::*part : {&wait_split::by_progress_s, &wait_split::by_moving_s}) {
      made.waits.*part = std::clamp(made.waits.*part, 0.0, most_s);
    }
    made.pop = pop_of(of);
    return made;
  }
  std::vector<region_sums> sums_;
};

}  // namespace

void region_sums::add(const region_sums& other) noexcept {
  ranks += other.ranks;
  count += other.count;
  not_ended += other.not_ended;
  calls += other.calls;
  bytes += other.bytes;
  time_s += other.time_s;
  mpi_s += other.mpi_s;
  own_s += other.own_s;
  own_mpi_s += other.own_mpi_s;
  useful_s += other.useful_s;
  most_useful_s = std::max(most_useful_s, other.most_useful_s);
  longest_s = std::max(longest_s, other.longest_s);
  waits.add(other.waits);
}

region_sums& region_tree::find(int around, const char* name, int& place) {
  const auto [found, is_new] = known_.try_emplace({around, name}, static_cast<int>(list_.size()));
  place = found->second;
  if (is_new) {
    region_sums& made = list_.emplace_back();
    std::memcpy(made.name, name, std::strlen(name));
    made.around = around;
  }
  return list_[static_cast<std::size_t>(place)];
}

void region_tree::add(const rank_profile& of, std::span<const wait_split> waits) {
  const rank_times times(of);
  std::vector<region_sums> own(std::max<std::size_t>(1, of.regions.size()));
  for (const auto& [number, site] : of.sites) {
    own[static_cast<std::size_t>(site.region)].calls += site.count;
    own[static_cast<std::size_t>(site.region)].bytes += site.bytes;
  }
  std::vector<int> places(own.size(), -1);
  for (std::size_t i = 1; i < own.size(); ++i) {
    const region_data& one = of.regions[i];
    own[i].ranks = 1;
    own[i].count = one.count;
    own[i].not_ended = one.not_ended;
    own[i].time_s = own[i].longest_s = times.all_s[i];
    own[i].mpi_s = times.all_mpi_s[i];
    own[i].own_s = times.own_s[i];
    own[i].own_mpi_s = times.own_mpi_s[i];
    own[i].useful_s = own[i].most_useful_s = times.all_s[i] - times.all_mpi_s[i];
    own[i].waits = waits[i];
    find(places[static_cast<std::size_t>(one.around)], one.name, places[i]).add(own[i]);
  }
  region_faults faults{of.header.stray_ends, of.header.regions_left_out, {}};
  std::memcpy(faults.stray_name, of.header.stray_name, sizeof faults.stray_name);
  add_faults(faults);
}

void region_tree::merge(const region_tree& other) {
  std::vector<int> places;
  for (const region_sums& one : other.list_) {
    int place = -1;
    const int around = one.around < 0 ? -1 : places[static_cast<std::size_t>(one.around)];
    find(around, one.name, place).add(one);
    places.push_back(place);
  }
  add_faults(other.faults_);
}

/// Of several names the last by the alphabet is told, whatever the order of merging.
void region_tree::add_faults(const region_faults& other) noexcept {
  faults_.stray_ends += other.stray_ends;
  faults_.left_out += other.left_out;
  if (std::strcmp(other.stray_name, faults_.stray_name) <= 0) return;
  std::memcpy(faults_.stray_name, other.stray_name, sizeof faults_.stray_name);
}

void region_tree::append_to(std::vector<std::byte>& bytes) const {
  append(bytes, list_);
  append(bytes, std::span(&faults_, 1));
}

region_tree region_tree::taken_from(std::span<const std::byte>& bytes) {
  region_tree one;
  region_tree read;
  read.list_ = take<region_sums>(bytes);
  read.faults_ = take<region_faults>(bytes).front();
  one.merge(read);
  return one;
}

std::vector<region_result> regions_of(const region_tree& all) {
  std::vector<region_result> found;
  region_sorter(all.list()).add_those_in(-1, -1, found);
  return found;
}

std::vector<std::string> warnings_of_regions(const region_tree& all,
                                             const std::vector<region_result>& regions) {
  std::vector<std::string> said;
  for (const region_result& one : regions) {
    if (one.not_ended == 0) continue;
    said.push_back(
        filled("region {} was not ended {} time{}; it counts until the region around it ended, or "
               "the run",
               one.path, one.not_ended, one.not_ended == 1 ? "" : "s"));
  }
  const region_faults& faults = all.faults();
  if (faults.stray_ends > 0) {
    said.push_back(filled("{} end{} of regions that were not open, such as {}", faults.stray_ends,
                          faults.stray_ends == 1 ? "" : "s", faults.stray_name));
  }
  if (faults.left_out > 0) {
    said.push_back(
        filled("{} time{} a region was begun that there is no room for: {} are the most, and 64 "
               "inside each other",
               faults.left_out, faults.left_out == 1 ? "" : "s", most_regions - 1));
  }
  return said;
}

}  // namespace plait::attach
