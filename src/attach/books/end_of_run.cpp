// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/end_of_run.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>

#include "attach/after/packed.hpp"
#include "attach/books/together.hpp"
#include "attach/calls/real_functions.hpp"
#include "attach/written/result_files.hpp"
#include "attach/written/trace_file.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

/// Upper limit of the records that rank 0 gathers from all ranks, where it does.
constexpr std::uint64_t most_records = 8 << 20;

[[nodiscard]] std::span<const std::byte> memory_of(notebook& notes) {
  return {reinterpret_cast<const std::byte*>(&notes.header()), notes.header().size};
}

/// Returns the sampling that all ranks apply: at least the strictest one of any rank, and strict
/// enough for the records of all to fit rank 0's limit.  Collective.
[[nodiscard]] std::uint32_t common_sampling(session& of) {
  const profile_header& h = of.notes.header();
  std::vector<std::uint64_t> all(2 * static_cast<std::size_t>(h.ranks));
  const std::uint64_t own[2] = {h.sampling, h.records};
  PLAIT_REAL(MPI_Allgather)
  (own, sizeof own, constants.byte, all.data(), sizeof own, constants.byte, of.own);
  std::uint64_t sampling = 0;
  std::uint64_t records = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) sampling = std::max(sampling, all[i]);
  for (std::size_t i = 0; i < all.size(); i += 2) records += all[i + 1] >> (sampling - all[i]);
  while (records > most_records) {
    records /= 2;
    ++sampling;
  }
  return static_cast<std::uint32_t>(sampling);
}

/// Rank 0 takes all that all ranks have noted, one after the other.
void gather_and_write(session& of) {
  const std::uint32_t sampling = common_sampling(of);
  const rank_profile own = read_profile(memory_of(of.notes), sampling);
  if (own.header.rank != 0) return send_bytes(of, pack_profile(own), 0);
  std::vector<rank_profile> ranks{own};
  for (int rank = 1; rank < own.header.ranks; ++rank) {
    ranks.push_back(unpack_profile(receive_bytes(of, rank)));
  }
  write_results(ranks, of.asked);
}

/// Returns the sampling of the rank that keeps least.
[[nodiscard]] std::uint32_t strictest_sampling(session& of) {
  std::uint32_t sampling = of.notes.header().sampling;
  combine(of, sampling,
          [](std::uint32_t& mine, std::uint32_t theirs) { mine = std::max(mine, theirs); });
  return sampling;
}

/// Finds the sites of all ranks, on rank 0, and gives all ranks their numbers, by keys of ways.
[[nodiscard]] std::map<std::uint64_t, int> find_sites(session& of, const rank_profile& own,
                                                      std::optional<site_index>& index) {
  struct number_of_way {
    std::uint64_t key = 0;
    std::int64_t number = 0;
  };
  call_ways ways;
  add_ways(ways, own);
  merge_along_tree(
      of, [&] { return pack_ways(ways); },
      [&](const byte_list& other) { add_ways(ways, unpack_ways(other)); });
  byte_list bytes;
  if (own.header.rank == 0) {
    index.emplace(ways);
    std::vector<number_of_way> list;
    for (const auto& [key, number] : index->numbers()) list.push_back({key, number});
    append(bytes, list);
  }
  broadcast(of, bytes);
  std::span<const std::byte> packed(bytes);
  std::map<std::uint64_t, int> numbers;
  for (const number_of_way& one : take<number_of_way>(packed)) {
    numbers[one.key] = static_cast<int>(one.number);
  }
  return numbers;
}

[[nodiscard]] collective_table find_collectives(session& of, const rank_view& own) {
  collective_table table(own.profile.header.sampling);
  table.add(own);
  merge_along_tree(
      of, [&] { return table.packed(); },
      [&](const byte_list& other) {
        table.merge(collective_table::unpacked(other), collective_table::most_of_a_job);
      });
  byte_list bytes;
  if (own.profile.header.rank == 0) bytes = table.packed();
  broadcast(of, bytes);
  return collective_table::unpacked(bytes);
}

/// Returns what a trace needs of the ranks that are in it, on rank 0.
[[nodiscard]] std::vector<rank_profile> gather_for_trace(session& of, rank_profile&& own) {
  std::vector<rank_profile> ranks;
  if (!of.asked.has(switch_trace) || own.header.rank >= most_listed_ranks) return ranks;
  trim_for_trace(own, of.asked.trace_bytes);
  if (own.header.rank != 0) {
    send_bytes(of, pack_profile(own), 0);
    return ranks;
  }
  const int traced = std::min(own.header.ranks, most_listed_ranks);
  ranks.push_back(std::move(own));
  for (int rank = 1; rank < traced; ++rank) {
    ranks.push_back(unpack_profile(receive_bytes(of, rank)));
  }
  return ranks;
}

/// Each rank takes its own waits apart, once others have told it of their part in them.  What comes
/// out is merged along a tree.
void merge_and_write(session& of) {
  profile_header first = of.notes.header();
  broadcast_value(of, first);
  rank_profile own = read_profile(memory_of(of.notes), strictest_sampling(of));
  std::optional<site_index> index;
  const std::map<std::uint64_t, int> by_way = find_sites(of, own, index);
  const site_numbers numbers(own, by_way);
  const rank_view view(own, first, numbers);
  const collective_table collectives = find_collectives(of, view);
  thin_out(own, collectives.sampling());
  int sites = 0;
  for (const auto& [key, number] : by_way) sites = std::max(sites, number + 1);
  job_share all(static_cast<std::size_t>(sites), first.ranks);
  add_rank(view, meet(view, exchange_ends(of, ends_to_tell(view)), collectives), all);
  merge_along_tree(
      of, [&] { return all.packed(); },
      [&](const byte_list& other) { all.merge(job_share::unpacked(other, first.ranks)); });
  const std::vector<rank_profile> traced = gather_for_trace(of, std::move(own));
  if (!index) return;
  analysis found = finish(std::move(*index), std::move(all), first, -1);
  if (!traced.empty() && first.ranks > most_listed_ranks) {
    found.warnings.push_back(
        filled("the trace has the first {} ranks of {}", traced.size(), first.ranks));
  }
  write_results(found, traced, of.asked);
}

}  // namespace

/// All ranks do what rank 0 was told.
void collect_and_write(session& of) {
  try {
    bool gathers = of.notes.header().ranks <= of.asked.gathers;
    broadcast_value(of, gathers);
    if (gathers) {
      gather_and_write(of);
    } else {
      merge_and_write(of);
    }
  } catch (const std::exception& what) {
    std::fprintf(stderr, "plait attach: %s\n", what.what());
  }
}

void write_what_is_known(session& of, bool prints) noexcept {
  try {
    settings asked = of.asked;
    asked.quiet = asked.quiet || !prints;
    if (!of.notes.has_file()) {
      write_results({read_profile(memory_of(of.notes))}, asked);
      return;
    }
    const folder_lock lock(asked.folder);
    if (of.notes.was_taken()) return;
    write_results(read_left_profiles(asked.folder, asked.json), asked);
    remove_left_profiles(asked.folder, asked.json);
  } catch (const std::exception& what) {
    std::fprintf(stderr, "plait attach: %s\n", what.what());
  }
}

}  // namespace plait::attach
