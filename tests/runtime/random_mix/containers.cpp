// SPDX-License-Identifier: BSD-3-Clause
// Tasks of mixed programs that change the size of containers, and the place of their elements.
#include <algorithm>
#include <utility>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

enum class list_work : std::uint8_t {
  assign,       ///< out: other elements, as many as it likes
  grow,         ///< inout: some more, made of those there
  halve,        ///< inout, declared and not passed
  insert,       ///< commutative: one more, in the order of their values
  copy,         ///< in, out: of another list
  exchange,     ///< inout: with another list, whose elements come here
  read,         ///< in: into words of the arena
  add,          ///< reduce: to as many elements as there are
  grow_nested,  ///< inout: by tasks that the task submits
};
constexpr std::array all_work{list_work::assign, list_work::grow, list_work::halve,
                              list_work::insert, list_work::copy, list_work::exchange,
                              list_work::read,   list_work::add,  list_work::grow_nested};

constexpr std::size_t longest = 48;

struct planned_work {
  list_work what = list_work::assign;
  std::size_t which = 0;
  std::size_t other = 0;
  std::size_t count = 0;
  std::uint64_t salt = 0;
  std::size_t first_word = 0;  ///< of what is read into
};

void assign(list& l, const planned_work& w) {
  l.assign(w.count, 0);
  for (std::size_t i = 0; i < l.size(); ++i) l[i] = scrambled(w.salt, i);
}

void grow(list& l, const planned_work& w) {
  if (l.size() > longest) l.clear();
  for (std::size_t i = 0; i < w.count; ++i) {
    l.push_back(scrambled(w.salt + (l.empty() ? 0 : l.back()), i));
  }
}

void halve(list& l) {
  l.resize(l.size() / 2);
  l.shrink_to_fit();
}

/// In any order of these tasks the list ends the same: sorted, the greatest kept.
void insert(list& l, const planned_work& w) {
  l.push_back(scrambled(w.salt, 0));
  std::ranges::sort(l, std::greater{});
  if (l.size() > longest) l.pop_back();
}

void read(const list& l, std::span<word> into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] ^= static_cast<word>(hash_of(l)) + static_cast<word>(i);
  }
}

void add(std::span<word> own, std::uint64_t salt) {
  for (std::size_t i = 0; i < own.size(); ++i) own[i] += scrambled(salt, i);
}

class container_task final : public statement {
 public:
  container_task(int rank, const planned_work& work) : rank_(rank), work_(work) {}

  void apply(job_memory& job) const override {
    rank_memory& memory = *job[static_cast<std::size_t>(rank_)];
    list& l = memory.resized[work_.which];
    list& other = memory.resized[work_.other];
    switch (work_.what) {
      case list_work::assign:
        return assign(l, work_);
      case list_work::grow:
        return grow(l, work_);
      case list_work::halve:
        return halve(l);
      case list_work::insert:
        return insert(l, work_);
      case list_work::copy:
        l = other;
        return;
      case list_work::exchange:
        return std::swap(l, other);
      case list_work::read:
        return read(l, words_of(memory, work_.first_word, work_.count));
      case list_work::add:
        return add(l, work_.salt);
      case list_work::grow_nested:
        grow(l, work_);
        grow(l, work_);
    }
  }

  void submit(live_rank& here) const override {
    runtime& rt = here.rt;
    list& l = here.memory.resized[work_.which];
    list& other = here.memory.resized[work_.other];
    switch (work_.what) {
      case list_work::assign:
        rt.task("assign", assign, out(l), work_);
        break;
      case list_work::grow:
        rt.task("grow", grow, inout(l), work_);
        break;
      case list_work::halve:
        rt.task(
              "halve", [](list* of) { halve(*of); }, &l)
            .also(inout(l));
        break;
      case list_work::insert:
        rt.task("insert", insert, commutative(l), work_);
        break;
      case list_work::copy:
        rt.task(
            "copy", [](const list& from, list& to) { to = from; }, in(other), out(l));
        break;
      case list_work::exchange:
        rt.task(
            "exchange", [](list& a, list& b) { std::swap(a, b); }, inout(l, other));
        break;
      case list_work::read:
        rt.task("read", read, in(l), inout(words_of(here.memory, work_.first_word, work_.count)));
        break;
      case list_work::add:
        rt.task(
            "add", [](auto&& own, std::uint64_t salt) { add(own, salt); }, reduce(l), work_.salt);
        break;
      case list_work::grow_nested:
        rt.task("grow by others", grow_by_others, inout(l), work_, &rt);
        break;
    }
  }

  [[nodiscard]] bool takes_part(int rank) const override { return rank == rank_; }
  [[nodiscard]] std::vector<touch> touches(int) const override {
    if (work_.what != list_work::read) return {};
    return {{words_at(work_.first_word, work_.count), true}};
  }
  [[nodiscard]] bool resizes() const override { return true; }
  [[nodiscard]] std::string text() const override {
    static constexpr const char* names[] = {"assign",   "grow", "halve", "insert",     "copy",
                                            "exchange", "read", "add",   "grow nested"};
    return "rank " + std::to_string(rank_) + ": list " + std::to_string(work_.which) + ": " +
           names[static_cast<std::size_t>(work_.what)] + " (" + std::to_string(work_.count) +
           " elements), other list " + std::to_string(work_.other);
  }

 private:
  static void grow_by_others(list& l, planned_work work, runtime* rt) {
    for (int i = 0; i < 2; ++i) rt->task("grow", grow, inout(l), work);
  }

  int rank_;
  planned_work work_;
};

/// A list whose size the receiver learns from the program, after it has waited for it.
class list_message final : public statement {
 public:
  list_message(int source, int target, const planned_work& work)
      : source_(source), target_(target), work_(work) {}

  void apply(job_memory& job) const override {
    list& sent = job[static_cast<std::size_t>(source_)]->resized[work_.which];
    assign(sent, work_);
    job[static_cast<std::size_t>(target_)]->resized[work_.other] = sent;
  }
  void submit(live_rank& here) const override {
    if (here.rank == source_) {
      list& sent = here.memory.resized[work_.which];
      here.rt.task("assign", assign, out(sent), work_);
      here.rt.wait_on(sent);
      here.rt.send("list", in(std::span(sent)), target_);
    }
    if (here.rank == target_) {
      list& received = here.memory.resized[work_.other];
      here.rt.task(
          "make room", [](list& l, std::size_t count) { l.assign(count, 0); }, out(received),
          work_.count);
      here.rt.wait_on(received);
      here.rt.recv("list", out(std::span(received)), source_);
    }
  }
  [[nodiscard]] bool takes_part(int rank) const override {
    return rank == source_ || rank == target_;
  }
  [[nodiscard]] std::vector<touch> touches(int) const override { return {}; }
  [[nodiscard]] bool resizes() const override { return true; }
  [[nodiscard]] std::string text() const override {
    return "list " + std::to_string(work_.which) + " of rank " + std::to_string(source_) +
           ", made of " + std::to_string(work_.count) + " elements, to list " +
           std::to_string(work_.other) + " of rank " + std::to_string(target_);
  }

 private:
  int source_;
  int target_;
  planned_work work_;
};

[[nodiscard]] planned_work random_work(generator& g) {
  planned_work work;
  work.what = all_work[g.below(all_work.size())];
  work.which = g.below(lists);
  work.other = (work.which + g.between(1, lists - 1)) % lists;
  work.count = g.chance(0.1) ? 0 : g.between(1, 10);
  work.salt = g.bits();
  work.first_word = g.below(arena::general_words - work.count + 1);
  return work;
}

}  // namespace

statement_ptr random_container_task(generator& g, const scene& s) {
  return std::make_unique<container_task>(s.any_rank(g), random_work(g));
}

statement_ptr random_list_message(generator& g, const scene& s) {
  return std::make_unique<list_message>(s.any_rank(g), s.any_rank(g), random_work(g));
}

}  // namespace plait::test::mix
