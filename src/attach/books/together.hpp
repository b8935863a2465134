// SPDX-License-Identifier: BSD-3-Clause
/// Brings together what ranks know when the program ends: along trees, and by messages between
/// those that have something to say to each other.  Collective, on the session's own
/// communicator.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "attach/after/matching.hpp"
#include "attach/after/packed.hpp"
#include "attach/books/session.hpp"

namespace plait::attach {

using byte_list = std::vector<std::byte>;

void send_bytes(const session& of, const byte_list& data, int to);
[[nodiscard]] byte_list receive_bytes(const session& of, int from);

/// Returns how far above a rank the next one in the tree is, at rank - step.  Those below it are at
/// rank + each smaller power of two.  Of rank 0, which is above all, no less than their number.
[[nodiscard]] inline int step_up(const profile_header& h) noexcept {
  int step = 1;
  while (step < h.ranks && (h.rank & step) == 0) step *= 2;
  return step;
}

/// Merges what ranks have along the tree, to rank 0, in steps of log2 of their number.  `pack`
/// returns what this rank has, `merge` takes in what another sent.
void merge_along_tree(session& of, const auto& pack, const auto& merge) {
  const profile_header& h = of.notes.header();
  for (int step = 1; step < h.ranks; step *= 2) {
    if ((h.rank & step) != 0) return send_bytes(of, pack(), h.rank - step);
    if (h.rank + step < h.ranks) merge(receive_bytes(of, h.rank + step));
  }
}

/// Gives all ranks what rank 0 has, along the same tree.
void broadcast(session& of, byte_list& data);
template <class Value>
void broadcast_value(session& of, Value& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  byte_list data(begin, begin + sizeof value);
  broadcast(of, data);
  std::memcpy(static_cast<void*>(&value), data.data(), sizeof value);
}

/// Gives all ranks what `merge(mine, theirs)` makes of all their values.
template <class Value>
void combine(session& of, Value& value, const auto& merge) {
  const auto pack = [&] {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return byte_list(bytes.begin(), bytes.end());
  };
  merge_along_tree(
      of, pack, [&](const byte_list& other) { merge(value, copy_of<Value>(other, 0, 1).front()); });
  broadcast_value(of, value);
}

/// Sends to each rank what is for it, and returns what others sent to this one: nobody needs to
/// know from whom there is something.  [Hoefler, Siebert, Lumsdaine 2010: NBX]
[[nodiscard]] std::vector<told_end> exchange_ends(session& of,
                                                  const std::map<int, std::vector<told_end>>& told);

}  // namespace plait::attach
