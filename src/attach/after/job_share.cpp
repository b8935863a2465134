// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/job_share.hpp"

#include <algorithm>
#include <cstring>

#include "attach/after/packed.hpp"

namespace plait::attach {
namespace {

// Of what each rank may add to, a share has the first or the longest of so many.
constexpr std::size_t most_late_pairs = std::size_t{most_listed_ranks} * most_listed_ranks;
constexpr std::size_t most_ended = 8;
constexpr std::size_t most_changed = 1024;

template <class Value>
struct entry_of_two {
  int first = 0;
  int second = 0;
  Value value{};
};

template <class Value>
void append_map(std::vector<std::byte>& to, const by_two<Value>& map) {
  std::vector<entry_of_two<Value>> entries;
  for (const auto& [key, value] : map) entries.push_back({key.first, key.second, value});
  append(to, entries);
}
template <class Value>
[[nodiscard]] by_two<Value> take_map(std::span<const std::byte>& from) {
  by_two<Value> map;
  for (const auto& one : take<entry_of_two<Value>>(from)) {
    map.emplace_hint(map.end(), std::pair(one.first, one.second), one.value);
  }
  return map;
}

template <class Value>
void add_to(by_two<Value>& map, const by_two<Value>& other) {
  for (const auto& [key, value] : other) map[key] += value;
}

/// Merges lists in the order of ranks, of which at most so many are kept.
template <class One>
void add_in_order(std::vector<One>& list, const std::vector<One>& other,
                  std::size_t most = SIZE_MAX) {
  const auto middle = static_cast<std::ptrdiff_t>(list.size());
  list.insert(list.end(), other.begin(), other.end());
  std::ranges::inplace_merge(list, list.begin() + middle, {}, &One::rank);
  if (list.size() > most) list.resize(most);
}

/// A pair is in the share of one rank, the receiver: whatever the order of merging, the longest of
/// all remain.
void keep_longest(by_two<late_pair>& pairs) {
  if (pairs.size() <= most_late_pairs) return;
  std::vector<std::pair<double, std::pair<int, int>>> order;
  for (const auto& [key, pair] : pairs) order.emplace_back(-pair.seconds, key);
  std::ranges::nth_element(order, order.begin() + most_late_pairs);
  for (std::size_t i = most_late_pairs; i < order.size(); ++i) pairs.erase(order[i].second);
}

}  // namespace

void wait_split::add(const wait_split& other) noexcept {
  for (const auto& [name, part] : parts_of_waits) this->*part += other.*part;
}

void wait_split::scale(double by) noexcept {
  for (const auto& [name, part] : parts_of_waits) this->*part *= by;
}

void measured_times::add(const measured_times& other) noexcept {
  for (double measured_times::*one :
       {&measured_times::compute_s, &measured_times::mpi_s, &measured_times::stolen_s,
        &measured_times::cycles, &measured_times::instructions, &measured_times::hidden_s,
        &measured_times::bound_s, &measured_times::look_s, &measured_times::look_cpu_s}) {
    this->*one += other.*one;
  }
  threads += other.threads;
  looks += other.looks;
  waits.add(other.waits);
}

/// Of ranks that wait as long it is the first.
void site_sums::note_rank(int rank, double waited_s) noexcept {
  const bool is_earlier = waited_s == worst_rank_s && waited_s > 0 && rank < worst_rank;
  if (waited_s > worst_rank_s || is_earlier) worst_rank = rank;
  worst_rank_s = std::max(worst_rank_s, waited_s);
}

void site_sums::add(const site_sums& other) noexcept {
  count += other.count;
  fails += other.fails;
  bytes += other.bytes;
  time_s += other.time_s;
  waits.add(other.waits);
  note_rank(other.worst_rank, other.worst_rank_s);
  computed_in_flight_s += other.computed_in_flight_s;
  waits_noted += other.waits_noted;
  rows += other.rows;
  back_to_back += other.back_to_back;
  computed_in_rows_s += other.computed_in_rows_s;
  processor_s += other.processor_s;
}

traffic::traffic(int ranks)
    : ranks_a_row_(std::max(1, (ranks + most_listed_ranks - 1) / most_listed_ranks)),
      rows_(static_cast<std::size_t>((ranks + ranks_a_row_ - 1) / ranks_a_row_)),
      sums_(2 * rows_ * rows_) {}

void traffic::add(const rank_profile& one) {
  const std::size_t row = static_cast<std::size_t>(one.header.rank / ranks_a_row_) * rows_;
  for (std::size_t to = 0; to < one.sent_bytes.size(); ++to) {
    const std::size_t column = to / static_cast<std::size_t>(ranks_a_row_);
    sums_[row + column] += one.sent_bytes[to];
    sums_[rows_ * rows_ + row + column] += one.sent_messages[to];
  }
}

void traffic::add(const traffic& other) noexcept {
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
}

/// Hosts that are containers of one machine share its cores.
void core_group::add(const core_group& other) noexcept {
  const bool is_one_host = ranks == 0 || std::strcmp(host, other.host) == 0;
  boot = other.boot;
  std::strcpy(host, is_one_host ? other.host : "one machine");
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i] |= other.cores[i];
  ranks += other.ranks;
}

void counted::add(const counted& other) noexcept {
  records += other.records;
  unmatched += other.unmatched;
  calls_left_out += other.calls_left_out;
  outside += other.outside;
  changed += other.changed;
  tasks += other.tasks;
  queued_unknown += other.queued_unknown;
  queued_s += other.queued_s;
  clock_uncertainty_s = std::max(clock_uncertainty_s, other.clock_uncertainty_s);
  sampling = std::max(sampling, other.sampling);
}

void job_share::merge(const job_share& other) {
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i].add(other.sites[i]);
  add_to(late_at, other.late_at);
  add_to(posted_at, other.posted_at);
  add_to(sizes, other.sizes);
  late_pairs.insert(other.late_pairs.begin(), other.late_pairs.end());
  keep_longest(late_pairs);
  add_in_order(ranks, other.ranks);
  for (const auto& [key, group] : other.cores) cores[key].add(group);
  add_in_order(ended, other.ended, most_ended);
  add_in_order(changed, other.changed, most_changed);
  sent.add(other.sent);
  regions.merge(other.regions);
  counts.add(other.counts);
}

std::vector<std::byte> job_share::packed() const {
  std::vector<core_group> groups;
  for (const auto& [key, group] : cores) groups.push_back(group);
  std::vector<std::byte> bytes;
  append(bytes, sites);
  append_map(bytes, late_at);
  append_map(bytes, posted_at);
  append_map(bytes, sizes);
  append_map(bytes, late_pairs);
  append(bytes, ranks);
  append(bytes, groups);
  append(bytes, ended);
  append(bytes, changed);
  append(bytes, sent.sums());
  regions.append_to(bytes);
  append(bytes, std::span(&counts, 1));
  return bytes;
}

job_share job_share::unpacked(std::span<const std::byte> packed, int rank_count) {
  job_share one(0, rank_count);
  one.sites = take<site_sums>(packed);
  one.late_at = take_map<double>(packed);
  one.posted_at = take_map<std::uint64_t>(packed);
  one.sizes = take_map<std::uint64_t>(packed);
  one.late_pairs = take_map<late_pair>(packed);
  one.ranks = take<rank_result>(packed);
  for (const core_group& group : take<core_group>(packed)) {
    one.cores[{group.boot, group.cores}] = group;
  }
  one.ended = take<ended_rank>(packed);
  one.changed = take<changed_send>(packed);
  one.sent.sums() = take<std::uint64_t>(packed);
  one.regions = region_tree::taken_from(packed);
  one.counts = take<counted>(packed).front();
  return one;
}

}  // namespace plait::attach
