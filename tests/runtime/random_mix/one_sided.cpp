// SPDX-License-Identifier: BSD-3-Clause
// Windows in mixed programs.  A slot of a rank's window belongs to one source, which puts into it
// and gets from it, until a put with a signal gives it to the target's tasks; a signal gives it
// back.
#include <algorithm>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

constexpr int given_flag = 0;
constexpr int returned_flag = 1;

[[nodiscard]] piece slot_of(int source) {
  return words_at(arena::slot(source), arena::slot_words);
}
[[nodiscard]] piece staged_for(int target, int ranks) {
  return words_at(arena::staged(target, ranks), arena::slot_words);
}
[[nodiscard]] std::span<word> words_of(rank_memory& memory, const piece& of) {
  return mix::words_of(memory, of.where.begin / sizeof(word), of.where.row_bytes / sizeof(word));
}
void copy(job_memory& job, int from_rank, const piece& from, int to_rank, const piece& to) {
  std::ranges::copy(bytes_of(*job[static_cast<std::size_t>(from_rank)], from),
                    bytes_of(*job[static_cast<std::size_t>(to_rank)], to).begin());
}

[[nodiscard]] std::string when_source_is_free(const put_options& how) {
  return how.source == completion::local ? ", source free early" : "";
}
[[nodiscard]] put_options random_put_options(generator& g) {
  return {.source = g.chance(0.5) ? completion::local : completion::remote};
}

/// Operations of two ranks on a slot; `source` owns it where nobody has given it away.
class slot_statement : public statement {
 public:
  slot_statement(int source, int target, int ranks)
      : source_(source), target_(target), ranks_(ranks) {}
  [[nodiscard]] bool takes_part(int rank) const override {
    return rank == source_ || rank == target_;
  }

 protected:
  [[nodiscard]] std::string text_of(const char* what) const {
    return std::string(what) + ", slot of rank " + std::to_string(source_) + " in rank " +
           std::to_string(target_);
  }
  [[nodiscard]] piece slot() const { return slot_of(source_); }
  [[nodiscard]] piece staged() const { return staged_for(target_, ranks_); }
  int source_;
  int target_;
  int ranks_;
};

class giving final : public slot_statement {
 public:
  giving(int source, int target, int ranks, put_options how)
      : slot_statement(source, target, ranks), how_(how) {}
  void apply(job_memory& job) const override { copy(job, source_, staged(), target_, slot()); }
  void submit(live_rank& here) const override {
    if (here.rank == source_) {
      here.rt.put_signal("give", here.slots, target_, slot_in_window(),
                         in(words_of(here.memory, staged())), given_flag, how_);
    }
    if (here.rank == target_) {
      here.rt.await_signal("given", here.slots, source_, out(words_of(here.memory, slot())),
                           given_flag);
    }
  }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    std::vector<touch> all;
    if (rank == source_) all.push_back({staged(), false});
    if (rank == target_) all.push_back({slot(), true});
    return all;
  }
  [[nodiscard]] std::string text() const override {
    return text_of("put_signal, await_signal") + when_source_is_free(how_);
  }

 private:
  put_options how_;
  [[nodiscard]] std::size_t slot_in_window() const { return arena::slot(source_) - arena::slot(0); }
};

class returning final : public slot_statement {
 public:
  using slot_statement::slot_statement;
  void apply(job_memory&) const override {}
  void submit(live_rank& here) const override {
    if (here.rank == target_) {
      here.rt.signal("return", here.slots, source_, inout(words_of(here.memory, slot())),
                     returned_flag);
    }
    if (here.rank == source_) {
      here.rt.await_signal("returned", here.slots, target_, out(words_of(here.memory, staged())),
                           returned_flag);
    }
  }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    std::vector<touch> all;
    if (rank == source_) all.push_back({staged(), true});
    if (rank == target_) all.push_back({slot(), true});
    return all;
  }
  [[nodiscard]] std::string text() const override { return text_of("signal, await_signal"); }
};

/// By the owner of a part of a slot.
class transfer final : public slot_statement {
 public:
  transfer(int source, int target, int ranks, bool puts, piece local, piece part, put_options how)
      : slot_statement(source, target, ranks), puts_(puts), local_(local), part_(part), how_(how) {}
  void apply(job_memory& job) const override {
    if (puts_) {
      copy(job, source_, local_, target_, part_);
    } else {
      copy(job, target_, part_, source_, local_);
    }
  }
  void submit(live_rank& here) const override {
    const std::size_t offset = part_.where.begin / sizeof(word) - arena::slot(0);
    const std::span<word> local = words_of(here.memory, local_);
    if (puts_) {
      here.rt.put("put", here.slots, target_, offset, in(local), how_);
    } else {
      here.rt.get("get", here.slots, target_, offset, out(local));
    }
  }
  [[nodiscard]] bool takes_part(int rank) const override { return rank == source_; }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    std::vector<touch> all{{local_, !puts_}};
    if (rank == target_) all.push_back({part_, puts_});
    return all;
  }
  [[nodiscard]] std::string text() const override {
    return text_of(puts_ ? "put" : "get") + ", " + to_string(local_) + ", there " +
           to_string(part_) + when_source_is_free(how_);
  }

 private:
  bool puts_;
  piece local_;
  piece part_;
  put_options how_;
};

}  // namespace

statement_ptr hand_back(int source, int target, scene& s) {
  auto& given = s.given[static_cast<std::size_t>(target)][static_cast<std::size_t>(source)];
  auto back = std::make_unique<returning>(source, target, s.ranks);
  back->number = *given;
  given.reset();
  return back;
}

statement_ptr random_one_sided(generator& g, scene& s) {
  const int source = s.any_rank(g);
  const int target = s.any_rank(g);
  auto& given = s.given[static_cast<std::size_t>(target)][static_cast<std::size_t>(source)];
  if (given.has_value()) return hand_back(source, target, s);
  if (g.chance(0.5)) {
    auto gives = std::make_unique<giving>(source, target, s.ranks, random_put_options(g));
    given = gives->number = s.next_number++;
    return gives;
  }
  const std::size_t before = g.below(arena::slot_words);
  const std::size_t count = g.below(arena::slot_words - before + 1);
  const piece part = words_at(arena::slot(source) + before, count);
  // What is staged for the target: it is there that the source learns of a slot given back.
  const std::size_t first = arena::staged(target, s.ranks) + g.below(arena::slot_words - count + 1);
  return std::make_unique<transfer>(source, target, s.ranks, g.chance(0.5), words_at(first, count),
                                    part, random_put_options(g));
}

}  // namespace plait::test::mix
