// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/end_of_run.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>

#include "attach/after/rank_profile.hpp"
#include "attach/calls/real_functions.hpp"
#include "attach/written/result_files.hpp"

namespace plait::attach {
namespace {

constexpr int gather_tag = 3;
/// Upper limit of the records that rank 0 gathers from all ranks.
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

/// In parts: a count of MPI's is an int.
constexpr std::size_t piece_bytes = 64 << 20;

void send_packed(session& of, const std::vector<std::byte>& packed) {
  const std::uint64_t size = packed.size();
  PLAIT_REAL(MPI_Send)(&size, sizeof size, constants.byte, 0, gather_tag, of.own);
  for (std::size_t at = 0; at < size; at += piece_bytes) {
    PLAIT_REAL(MPI_Send)
    (packed.data() + at, static_cast<int>(std::min(piece_bytes, size - at)), constants.byte, 0,
     gather_tag, of.own);
  }
}

[[nodiscard]] rank_profile receive_packed(session& of, int from) {
  std::uint64_t size = 0;
  PLAIT_REAL(MPI_Recv)
  (&size, sizeof size, constants.byte, from, gather_tag, of.own, MPI_STATUS_IGNORE);
  std::vector<std::byte> packed(size);
  for (std::size_t at = 0; at < size; at += piece_bytes) {
    PLAIT_REAL(MPI_Recv)
    (packed.data() + at, static_cast<int>(std::min(piece_bytes, size - at)), constants.byte, from,
     gather_tag, of.own, MPI_STATUS_IGNORE);
  }
  return unpack_profile(packed);
}

}  // namespace

void collect_and_write(session& of) {
  try {
    const std::uint32_t sampling = common_sampling(of);
    const rank_profile own = read_profile(memory_of(of.notes), sampling);
    if (own.header.rank != 0) {
      send_packed(of, pack_profile(own));
      return;
    }
    std::vector<rank_profile> ranks{own};
    for (int rank = 1; rank < own.header.ranks; ++rank) ranks.push_back(receive_packed(of, rank));
    write_results(ranks, of.asked);
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
