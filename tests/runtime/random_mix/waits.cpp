// SPDX-License-Identifier: BSD-3-Clause
// Statements of mixed programs in which the program itself waits and reads.
#include <utility>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

class program_statement : public statement {
 public:
  explicit program_statement(int rank) : rank_(rank) {}
  [[nodiscard]] bool takes_part(int rank) const override { return rank == rank_; }

 protected:
  [[nodiscard]] rank_memory& memory(job_memory& job) const {
    return *job[static_cast<std::size_t>(rank_)];
  }
  [[nodiscard]] std::string text_of(const std::string& what) const {
    return "rank " + std::to_string(rank_) + ": " + what;
  }
  int rank_;
};

class wait_for_all final : public program_statement {
 public:
  using program_statement::program_statement;
  void apply(job_memory&) const override {}
  void submit(live_rank& here) const override { here.rt.wait(); }
  [[nodiscard]] std::vector<touch> touches(int) const override { return {}; }
  [[nodiscard]] std::string text() const override { return text_of("wait"); }
};

class wait_for_piece final : public program_statement {
 public:
  wait_for_piece(int rank, planned_access what) : program_statement(rank), what_(std::move(what)) {}

  void apply(job_memory& job) const override {
    memory(job).seen.push_back(hash_of(memory(job), what_.where));
  }
  void submit(live_rank& here) const override {
    if (what_.as_box) {
      here.rt.wait_on(bytes_of_box<byte>{address(here.memory, what_.where)});
    } else {
      here.rt.wait_on(bytes_of(here.memory, what_.where));
    }
    here.memory.seen.push_back(hash_of(here.memory, what_.where));
  }
  [[nodiscard]] std::vector<touch> touches(int) const override { return {{what_.where, false}}; }
  [[nodiscard]] std::string text() const override {
    return text_of("wait_on " + to_string(what_.where));
  }

 private:
  planned_access what_;
};

class wait_for_list final : public program_statement {
 public:
  wait_for_list(int rank, std::size_t which) : program_statement(rank), which_(which) {}

  void apply(job_memory& job) const override { see(memory(job)); }
  void submit(live_rank& here) const override {
    here.rt.wait_on(here.memory.resized[which_]);
    see(here.memory);
  }
  [[nodiscard]] std::vector<touch> touches(int) const override { return {}; }
  [[nodiscard]] bool resizes() const override { return true; }
  [[nodiscard]] std::string text() const override {
    return text_of("wait_on list " + std::to_string(which_));
  }

 private:
  void see(rank_memory& memory) const { memory.seen.push_back(hash_of(memory.resized[which_])); }
  std::size_t which_;
};

class result_of_task final : public program_statement {
 public:
  result_of_task(int rank, planned_task task) : program_statement(rank), task_(std::move(task)) {}

  void apply(job_memory& job) const override {
    run_serially(memory(job), task_);
    see(memory(job), task_.returns);
  }
  void submit(live_rank& here) const override {
    see(here.memory, submit_and_get(here.rt, here.memory, task_));
  }
  [[nodiscard]] std::vector<touch> touches(int) const override { return touches_of(task_); }
  [[nodiscard]] std::string text() const override {
    return text_of("result of " + to_string(task_));
  }

 private:
  /// Notes the result and, as they are finished too, the values that the task has written.
  void see(rank_memory& memory, int returned) const {
    memory.seen.push_back(static_cast<std::uint64_t>(returned));
    for (const planned_access& a : task_.accesses) {
      if (a.mode == access_mode::out || a.mode == access_mode::inout)
        memory.seen.push_back(hash_of(memory, a.where));
    }
  }
  planned_task task_;
};

}  // namespace

statement_ptr random_wait(generator& g, const scene& s) {
  const int rank = s.any_rank(g);
  if (s.with.containers && g.chance(0.2)) {
    if (g.chance(0.5)) return random_list_message(g, s);
    return std::make_unique<wait_for_list>(rank, g.below(lists));
  }
  if (g.chance(0.3)) return std::make_unique<wait_for_all>(rank);
  const std::vector<area> areas = areas_of(s, rank);
  if (g.chance(0.5)) {
    return std::make_unique<wait_for_piece>(rank, random_access(g, areas.front()));
  }
  planned_task task = random_task(g, areas, s.few_children);
  std::vector<std::size_t> needs = hand_overs_of(task, s, rank);
  auto made = std::make_unique<result_of_task>(rank, std::move(task));
  made->needs = std::move(needs);
  return made;
}

}  // namespace plait::test::mix
