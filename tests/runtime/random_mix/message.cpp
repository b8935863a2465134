// SPDX-License-Identifier: BSD-3-Clause
// Messages of mixed programs: among any ranks of any communicator, to oneself, of no bytes.
#include <utility>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

class message final : public statement {
 public:
  message(group among, int source, int target, int tag, piece from, piece to)
      : among_(std::move(among)),
        source_(source),
        target_(target),
        tag_(tag),
        from_(from),
        to_(to) {}

  void apply(job_memory& job) const override {
    const auto sent = bytes_of(*job[static_cast<std::size_t>(source_)], from_);
    const std::vector<byte> data(sent.begin(), sent.end());
    std::ranges::copy(data, bytes_of(*job[static_cast<std::size_t>(target_)], to_).begin());
  }

  void submit(live_rank& here) const override {
    const communicator& among = here.communicators[among_.communicator];
    const auto peer = [this](int rank) { return static_cast<int>(among_.rank_of(rank)); };
    if (here.rank == source_) {
      here.rt.send("send", in(bytes_of(here.memory, from_)), peer(target_), tag_, among);
    }
    if (here.rank == target_) {
      here.rt.recv("receive", out(bytes_of(here.memory, to_)), peer(source_), tag_, among);
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
  group among_;
  int source_;
  int target_;
  int tag_;
  piece from_;
  piece to_;
};

}  // namespace

statement_ptr random_message(generator& g, const scene& s) {
  const auto groups = groups_of(g.below(communicators), s.ranks);
  const group& among = groups[g.below(groups.size())];
  const int source = among.members[g.below(among.size())];
  const int target = among.members[g.below(among.size())];
  const int tag = g.chance(0.7) ? 0 : static_cast<int>(g.between(1, 2));
  const area whole{arena_region, 0, arena::general_words * sizeof(word)};
  const piece from = random_range(g, whole);
  const std::size_t size = from.where.row_bytes;
  const std::size_t begin = g.below(whole.end - size + 1);
  const piece to{arena_region, strided_bytes::of({begin, begin + size})};
  // Without buffers it would wait for itself.
  if (source == target && overlap(from, to)) return nullptr;
  return std::make_unique<message>(among, source, target, tag, from, to);
}

}  // namespace plait::test::mix
