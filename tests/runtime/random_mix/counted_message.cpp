// SPDX-License-Identifier: BSD-3-Clause
// Messages of mixed programs whose length a task chooses, from what is in memory when it runs.
#include <algorithm>
#include <utility>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

class counted_message final : public statement {
 public:
  /// The sender chooses by `seen`, the receiver adds what came to `told`.  Ranges.
  counted_message(int source, int target, piece seen, piece from, piece to, piece told)
      : source_(source), target_(target), seen_(seen), from_(from), to_(to), told_(told) {}

  void apply(job_memory& job) const override {
    rank_memory& here = *job[static_cast<std::size_t>(source_)];
    rank_memory& there = *job[static_cast<std::size_t>(target_)];
    const std::size_t count = choose(bytes_of(here, seen_), size());
    std::ranges::copy(bytes_of(here, from_).first(count), bytes_of(there, to_).begin());
    forget(bytes_of(there, to_), count);
    tell(bytes_of(there, told_), count);
  }

  void submit(live_rank& here) const override {
    rank_memory& memory = here.memory;
    if (here.rank == source_) {
      here.rt.task(
          "choose",
          [most = size()](std::span<const byte> seen, std::size_t& count) {
            count = choose(seen, most);
          },
          in(bytes_of(memory, seen_)), out(memory.sent_count));
      here.rt.send("some", counted(in(bytes_of(memory, from_)), in(memory.sent_count)), target_);
    }
    if (here.rank == target_) {
      const std::span<byte> to = bytes_of(memory, to_);
      here.rt.recv("some", counted(out(to), out(memory.came_count)), source_);
      here.rt.task(
          "forget", [](std::span<byte> all, const std::size_t& count) { forget(all, count); },
          inout(to), in(memory.came_count));
      here.rt.task(
          "tell", [](std::span<byte> told, const std::size_t& count) { tell(told, count); },
          inout(bytes_of(memory, told_)), in(memory.came_count));
    }
  }

  [[nodiscard]] bool takes_part(int rank) const override {
    return rank == source_ || rank == target_;
  }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    std::vector<touch> all;
    if (rank == source_) all.insert(all.end(), {{seen_, false}, {from_, false}});
    if (rank == target_) all.insert(all.end(), {{to_, true}, {told_, true}});
    return all;
  }
  [[nodiscard]] std::string text() const override {
    return "counted message from rank " + std::to_string(source_) + " (" + to_string(from_) +
           ", by " + to_string(seen_) + ") to rank " + std::to_string(target_) + " (" +
           to_string(to_) + ", told " + to_string(told_) + ")";
  }

 private:
  [[nodiscard]] std::size_t size() const {
    const byte_range all = from_.where.hull();
    return all.end - all.begin;
  }
  [[nodiscard]] static std::size_t choose(std::span<const byte> seen, std::size_t most) {
    std::size_t h = 17;
    for (const byte b : seen) h = h * 31 + b;
    return h % (most + 1);
  }
  /// Sets the elements behind those that came, which the message leaves undefined.
  static void forget(std::span<byte> all, std::size_t count) {
    std::ranges::fill(all.subspan(count), byte{9});
  }
  static void tell(std::span<byte> told, std::size_t count) {
    for (byte& b : told) b = static_cast<byte>(b * 3 + count);
  }

  int source_;
  int target_;
  piece seen_;
  piece from_;
  piece to_;
  piece told_;
};

}  // namespace

statement_ptr random_counted_message(generator& g, const scene& s) {
  const area all{arena_region, 0, arena::general_words * sizeof(word)};
  const piece from = random_range(g, all);
  const byte_range bytes = from.where.hull();
  const std::size_t size = bytes.end - bytes.begin;
  const std::size_t begin = g.below(all.end - size + 1);
  const piece to{arena_region, strided_bytes::of({begin, begin + size})};
  const int source = s.any_rank(g);
  const int target = s.any_rank(g);
  if (source == target && overlap(from, to)) return nullptr;
  return std::make_unique<counted_message>(source, target, random_range(g, all), from, to,
                                           random_range(g, all));
}

}  // namespace plait::test::mix
