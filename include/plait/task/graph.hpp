// SPDX-License-Identifier: BSD-3-Clause
/// The result of `scheduler::record`: tasks that can be run again and again.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace plait {

namespace detail {
struct task_node;
class replayed_graph;
}  // namespace detail

/// Recorded tasks and messages with their dependences: those of one iteration, and those that wrap
/// from one iteration to the next.  [Thyme's task precedence graph]  Handle; belongs to the thread
/// and the scheduler that recorded it, and must not outlive what its tasks name.  Precondition of
/// all uses: it was not moved from.
class graph {
 public:
  graph(graph&&) noexcept;
  graph& operator=(graph&&) noexcept;
  ~graph();

  /// Tasks that compute, and messages, of one iteration.
  [[nodiscard]] std::size_t tasks() const noexcept;
  [[nodiscard]] std::size_t messages() const noexcept;
  /// Dependences kept for one iteration, those into the next included; but for those on messages,
  /// only those that do not follow from others.
  [[nodiscard]] std::size_t dependences() const noexcept;

  // For layers above that make tasks of their own kind
  // ------------------------------------------------
  /// In the order of submission.
  void for_each_message(const std::function<void(detail::task_node&)>& visit) const;

 private:
  friend class scheduler;
  explicit graph(std::shared_ptr<detail::replayed_graph> self) noexcept;
  [[nodiscard]] detail::replayed_graph& recorded() const noexcept;
  std::shared_ptr<detail::replayed_graph> self_;
};

}  // namespace plait
