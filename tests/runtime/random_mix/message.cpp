// SPDX-License-Identifier: BSD-3-Clause
// Messages of mixed programs: among any ranks of any communicator, to oneself, of no bytes, of rows
// that lie apart on one side or on both.
#include <numeric>
#include <utility>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

class message final : public statement {
 public:
  /// A piece without axes is named as a span, any other as a view of a box.
  message(group among, int source, int target, int tag, piece from, piece to)
      : among_(std::move(among)),
        source_(source),
        target_(target),
        tag_(tag),
        from_(from),
        to_(to) {}

  void apply(job_memory& job) const override {
    std::vector<byte> data;
    for_each_byte_sent(address(*job[static_cast<std::size_t>(source_)], from_),
                       [&data](byte b) { data.push_back(b); });
    auto next = data.begin();
    for_each_byte_sent(address(*job[static_cast<std::size_t>(target_)], to_),
                       [&next](byte& b) { b = *next++; });
  }

  void submit(live_rank& here) const override {
    const communicator& among = here.communicators[among_.communicator];
    const auto peer = [this](int rank) { return static_cast<int>(among_.rank_of(rank)); };
    if (here.rank == source_) {
      with_memory(here, from_,
                  [&](auto named) { here.rt.send("send", in(named), peer(target_), tag_, among); });
    }
    if (here.rank == target_) {
      with_memory(here, to_, [&](auto named) {
        here.rt.recv("receive", out(named), peer(source_), tag_, among);
      });
    }
  }

  [[nodiscard]] bool takes_part(int rank) const override {
    return rank == source_ || rank == target_;
  }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    std::vector<touch> all;
    if (rank == source_) all.push_back({from_, false});
    if (rank == target_) all.push_back({to_, true});
    return all;
  }
  [[nodiscard]] std::string text() const override {
    return "message from rank " + std::to_string(source_) + " (" + to_string(from_) + ") to rank " +
           std::to_string(target_) + " (" + to_string(to_) + "), tag " + std::to_string(tag_) +
           ", communicator " + std::to_string(among_.communicator);
  }

 private:
  template <class Use>
  static void with_memory(live_rank& here, const piece& of, Use use) {
    if (of.where.is_range()) return use(bytes_of(here.memory, of));
    use(bytes_of_box<byte>{address(here.memory, of)});
  }

  group among_;
  int source_;
  int target_;
  int tag_;
  piece from_;
  piece to_;
};

/// Rows of as many bytes in all, of which some lie side by side; a range where they do not fit.
[[nodiscard]] piece random_piece(generator& g, const area& of, std::size_t size) {
  if (size > 0 && g.chance(0.5)) {
    std::size_t left = size;
    const auto divisor = [&] {
      const std::size_t d = std::gcd(left, g.one_of<std::size_t>({1, 2, 3, 4, 6, 12, 60}));
      left /= d;
      return d;
    };
    strided_bytes at{.begin = 0, .row_bytes = divisor()};
    std::size_t end = at.row_bytes;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t rows = k < 2 ? divisor() : std::exchange(left, 1);
      const std::size_t stride = end + (g.chance(0.5) ? 0 : g.below(6));
      at.axes[k] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(stride)};
      end += (rows - 1) * stride;
    }
    if (g.chance(0.2)) std::swap(at.axes[0], at.axes[2]);
    if (end <= of.end - of.begin) {
      at.begin = of.begin + g.below(of.end - of.begin - end + 1);
      return {of.region, at};
    }
  }
  const std::size_t begin = of.begin + g.below(of.end - of.begin - size + 1);
  return {of.region, strided_bytes::of({begin, begin + size})};
}

/// The general part of the arena, or a block of an array.
[[nodiscard]] area random_area(generator& g, const scene& s, int rank) {
  const auto& regions = s.region_bytes[static_cast<std::size_t>(rank)];
  const std::size_t region = g.chance(0.6) ? arena_region : g.below(regions.size());
  if (region == arena_region) return {arena_region, 0, arena::general_words * sizeof(word)};
  return {region, 0, regions[region]};
}

}  // namespace

statement_ptr random_message(generator& g, const scene& s) {
  const auto groups = groups_of(g.below(communicators), s.ranks);
  const group& among = groups[g.below(groups.size())];
  const int source = among.members[g.below(among.size())];
  const int target = among.members[g.below(among.size())];
  const int tag = g.chance(0.7) ? 0 : static_cast<int>(g.between(1, 2));
  const area there = random_area(g, s, target);
  const area here = random_area(g, s, source);
  piece from = random_range(g, here);
  if (g.chance(0.4)) from = random_rows(g, here).value_or(from);
  std::size_t size = 0;
  for_each_row(from.where, [&size](byte_range row) { size += row.end - row.begin; });
  if (size > there.end - there.begin) return nullptr;
  const piece to = random_piece(g, there, size);
  // Without buffers it would wait for itself.
  if (source == target && overlap(from, to)) return nullptr;
  return std::make_unique<message>(among, source, target, tag, from, to);
}

}  // namespace plait::test::mix
