// SPDX-License-Identifier: BSD-3-Clause
/// Submissions to a dependence tracker, and what must be true of the edges it makes of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/detail/dependence_tracker.hpp>

namespace plait::test {

constexpr char any_operation = 0;

/// Tasks that never run, their accesses, and the edges the tracker gave them.
template <class Declared>
class submissions {
 public:
  int add(const std::vector<Declared>& accesses) {
    detail::task_node& node = nodes_.emplace_back();
    node.id = nodes_.size();
    node.successors.store(nullptr);
    for (const auto& a : accesses) {
      if constexpr (std::is_same_v<decltype(a.memory), byte_range>) {
        tracker.add(node, a.memory, a.mode, &any_operation);
      } else {
        tracker.add_box(node, a.memory, a.mode, &any_operation);
      }
    }
    accesses_.push_back(accesses);
    return node.edges_made;
  }

  void finish(std::size_t task) { nodes_[task].successors.store(detail::task_node::closed()); }

  [[nodiscard]] bool has_edge(std::size_t from, std::size_t to) const {
    if (nodes_[from].finished()) return false;
    for (auto* e = nodes_[from].successors.load(); e != nullptr; e = e->next) {
      if (e->successor == &nodes_[to]) return true;
    }
    return false;
  }

  /// Returns true if `related` holds for an access of task `a` and one of task `b`.
  [[nodiscard]] bool any(std::size_t a, std::size_t b,
                         bool (*related)(const Declared&, const Declared&)) const {
    for (const auto& x : accesses_[a]) {
      for (const auto& y : accesses_[b]) {
        if (related(x, y)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool exclude_each_other(std::size_t a, std::size_t b) const {
    const auto& x = nodes_[a].exclusions;
    const auto& y = nodes_[b].exclusions;
    return x != nullptr && y != nullptr && std::any_of(x->begin(), x->end(), [&](const auto& one) {
             return std::count(y->begin(), y->end(), one) == 1;
           });
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool finished(std::size_t task) const { return nodes_[task].finished(); }

  detail::dependence_tracker tracker;

 private:
  std::deque<detail::task_node> nodes_;  // never move
  std::vector<std::vector<Declared>> accesses_;
};

/// Tells of two accesses if their tasks must be ordered, may be, or must exclude each other.
template <class Declared>
struct relations {
  using relation = bool (*)(const Declared&, const Declared&);
  relation must_be_ordered;
  relation may_be_ordered;
  relation must_exclude;
};

/// Submissions, after each of which random tasks that are ready may finish.
template <class Declared>
class random_submissions {
 public:
  random_submissions(std::mt19937_64& random, double finish) : random_(random), finish_(finish) {}

  void add(const std::vector<Declared>& accesses) {
    const std::size_t t = tasks_.size();
    std::vector<bool> finished(t);
    for (std::size_t i = 0; i < t; ++i) finished[i] = tasks_.finished(i);
    was_finished_.push_back(finished);
    const std::optional<bool> settled = is_settled(accesses);
    const int edges = tasks_.add(accesses);
    if (settled.has_value())
      EXPECT_EQ(*settled, edges == 0) << "it says before whether a task would follow anybody";
    // Edges vanish when their source finishes: the order that was promised until then is kept here.
    edge_.emplace_back(t);
    for (std::size_t i = 0; i < t; ++i) edge_[t][i] = tasks_.has_edge(i, t);
    EXPECT_EQ(edges, std::count(edge_[t].begin(), edge_[t].end(), true))
        << "the count of edges says when a task is ready";
    while (std::uniform_real_distribution<double>(0, 1)(random_) < finish_) {
      const auto candidate = std::uniform_int_distribution<std::size_t>(0, t)(random_);
      bool ready = true;
      for (std::size_t i = 0; i < candidate; ++i) {
        if (edge_[candidate][i] && !tasks_.finished(i)) ready = false;
      }
      if (ready) tasks_.finish(candidate);
    }
  }

  void check(const relations<Declared>& want, const std::string& label) const {
    const std::size_t count = tasks_.size();
    // Who follows whom, through edges.
    auto follows = edge_;
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t i = 0; i < t; ++i) {
        if (!edge_[t][i]) continue;
        for (std::size_t k = 0; k < i; ++k) {
          if (follows[i][k]) follows[t][k] = true;
        }
      }
    }
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t i = 0; i < t; ++i) {
        const bool ordered = follows[t][i] || was_finished_[t][i];
        if (tasks_.any(i, t, want.must_be_ordered)) {
          ASSERT_TRUE(ordered) << label << ": nothing orders task " << t << " after " << i;
        }
        if (tasks_.any(i, t, want.must_exclude)) {
          ASSERT_TRUE(ordered || tasks_.exclude_each_other(i, t))
              << label << ": tasks " << i << " and " << t << " may meet";
        }
        if (!tasks_.any(i, t, want.may_be_ordered)) {
          ASSERT_FALSE(edge_[t][i])
              << label << ": task " << t << " waits for " << i << " without need";
        }
      }
    }
  }

  [[nodiscard]] const submissions<Declared>& tasks() const { return tasks_; }

 private:
  /// What the tracker says beforehand, of one access that reads or writes a range.
  [[nodiscard]] std::optional<bool> is_settled(const std::vector<Declared>& accesses) {
    if constexpr (std::is_same_v<decltype(accesses[0].memory), byte_range>) {
      const access_mode mode = accesses[0].mode;
      if (accesses.size() == 1 && (mode == access_mode::in || mode == access_mode::out))
        return tasks_.tracker.is_settled(accesses[0].memory, mode);
    }
    return std::nullopt;
  }

  std::mt19937_64& random_;
  const double finish_;
  submissions<Declared> tasks_;
  std::vector<std::vector<bool>> edge_;  ///< [task][earlier task]
  std::vector<std::vector<bool>> was_finished_;
};

}  // namespace plait::test
