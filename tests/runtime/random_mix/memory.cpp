// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <algorithm>

namespace plait::test::mix {
namespace {

template <int D>
[[nodiscard]] std::span<byte> bytes_of_block(const view<word, D>& block) {
  const box<D> all = block.cells();
  point<D> last;
  for (const axis a : axes<D>) last[a] = all.high[a] - 1;
  const auto words = static_cast<std::size_t>(block.at(last) - block.at(all.low)) + 1;
  return {reinterpret_cast<byte*>(block.at(all.low)), words * sizeof(word)};
}

class hash {
 public:
  void take(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x100000001B3U;
    state_ = (state_ << 23U) | (state_ >> 41U);
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

}  // namespace

rank_memory::rank_memory(const array_layout& arrays, int rank)
    : words(arena::words(arrays.tiles.ranks())),
      blocks(arrays.tiles, rank),
      dealt(arrays.dealt, rank),
      along(arrays.along, rank),
      values(arrays.listed[static_cast<std::size_t>(rank)].size()) {
  regions.emplace_back(reinterpret_cast<byte*>(words.data()), words.size() * sizeof(word));
  for (const int id : blocks.local_blocks()) regions.push_back(bytes_of_block(blocks.block(id)));
  for (const int id : dealt.local_blocks()) regions.push_back(bytes_of_block(dealt.block(id)));
  for (const int id : along.local_blocks()) regions.push_back(bytes_of_block(along.block(id)));
  if (!values.empty())
    regions.emplace_back(reinterpret_cast<byte*>(values.data()), values.size() * sizeof(word));
}

void rank_memory::fill(generator& g) {
  for (const auto& region : regions) {
    for (byte& b : region) b = static_cast<byte>(g.bits());
  }
  for (list& l : resized) {
    l.assign(g.below(6), 0);
    for (word& w : l) w = static_cast<word>(g.bits());
  }
  seen.clear();
}

void rank_memory::copy(const rank_memory& from) {
  for (std::size_t i = 0; i < regions.size(); ++i) {
    std::ranges::copy(from.regions[i], regions[i].begin());
  }
  resized = from.resized;
  seen = from.seen;
}

piece words_at(std::size_t first, std::size_t count) {
  return {arena_region, strided_bytes::of({first * sizeof(word), (first + count) * sizeof(word)})};
}

strided_bytes address(const rank_memory& memory, const piece& of) {
  strided_bytes at = of.where;
  at.begin += reinterpret_cast<std::uintptr_t>(memory.regions[of.region].data());
  return at;
}

bool overlap(const piece& a, const piece& b) {
  if (a.region != b.region || a.where.empty() || b.where.empty()) return false;
  bool found = false;
  for_each_row(a.where, [&](byte_range x) {
    for_each_row(b.where, [&](byte_range y) {
      found |= std::max(x.begin, y.begin) < std::min(x.end, y.end);
    });
  });
  return found;
}

std::span<byte> bytes_of(rank_memory& memory, const piece& of) {
  return memory.regions[of.region].subspan(of.where.begin, of.where.row_bytes);
}

std::span<word> words_of(rank_memory& memory, std::size_t first, std::size_t count) {
  return std::span(memory.words).subspan(first, count);
}

std::uint64_t hash_of(const rank_memory& memory, const piece& of) {
  hash h;
  for_each_byte(address(memory, of), [&h](byte b) { h.take(b); });
  return h.value();
}

std::uint64_t hash_of(const list& of) {
  hash h;
  h.take(of.size());
  for (const word w : of) h.take(w);
  return h.value();
}

std::string to_string(const piece& of) {
  const std::string where =
      of.region == arena_region ? "arena" : "block " + std::to_string(of.region - 1);
  return where + "[" + std::to_string(of.where.begin) + "]: " + plait::to_string(of.where);
}

std::uint64_t spot::value(const rank_memory& memory) const {
  switch (what) {
    case kind::region:
      return memory.regions[which][byte];
    case kind::resized:
      return hash_of(memory.resized[which]);
    case kind::seen:
      return which < memory.seen.size() ? memory.seen[which] : 0;
  }
  return 0;
}

std::string spot::text() const {
  switch (what) {
    case kind::region:
      return "byte " + std::to_string(byte) + " of " +
             (which == arena_region ? "the arena" : "block " + std::to_string(which - 1));
    case kind::resized:
      return "list " + std::to_string(which);
    case kind::seen:
      return "what the program has read, number " + std::to_string(which);
  }
  return {};
}

std::optional<spot> first_difference(const rank_memory& a, const rank_memory& b) {
  for (std::size_t i = 0; i < a.regions.size(); ++i) {
    const auto [at, other] = std::ranges::mismatch(a.regions[i], b.regions[i]);
    if (at == a.regions[i].end()) continue;
    return spot{spot::kind::region, i, static_cast<std::size_t>(at - a.regions[i].begin())};
  }
  for (std::size_t i = 0; i < lists; ++i) {
    if (a.resized[i] != b.resized[i]) return spot{spot::kind::resized, i};
  }
  const auto [at, other] = std::ranges::mismatch(a.seen, b.seen);
  if (at == a.seen.end() && other == b.seen.end()) return std::nullopt;
  return spot{spot::kind::seen, static_cast<std::size_t>(at - a.seen.begin())};
}

}  // namespace plait::test::mix
