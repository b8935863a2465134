// SPDX-License-Identifier: BSD-3-Clause
/// Choice of the tasks of a recorded iteration that go first so that its messages leave early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/clock.hpp>

namespace plait::detail {

/// A node of a recorded graph, in the order of submission.
struct rank_input {
  enum class kind : std::uint8_t { task, send, receive, exchange /* both */ };
  kind is = kind::task;
  ticks took = 0;                       ///< its function; a message: from post to completion
  std::vector<std::size_t> successors;  ///< `same` of them in its iteration, then those in the next
  std::size_t same = 0;
};

/// Returns, for each node, whether it goes first.
///
/// An exchange, such as a collective that is one task, is a send for what it waits for and a
/// receive for what waits for it.
///
/// A task is on the way to a send if the send waits for it, directly or through other tasks, and no
/// task in between waits for a receive: that one could not start before its message is there,
/// however early its other predecessors run.  So of a stencil's tasks the rim, between its ghosts
/// and the next send, goes first, and the interior, which feeds the rim of the next step, does not.
/// A send may belong to the iteration after the task that feeds it; between tasks no wrap is
/// followed, for most tasks of an iterative program feed every send of the next iteration.
///
/// When everything goes first nothing does: the tasks that do are at most half of the iteration's
/// computation.  Where those on the way are more, the way to the send that needs the least work
/// comes first, then the next, as in Johnson's rule: a link that has begun early is busy while the
/// rest is computed [Johnson 1954, two-stage flow shop].  So of a conjugate-gradient step the ends
/// of a slab go before the sum over all of it.  Where only ways of next to no work fit in the half,
/// the tasks with the longest path to the end do, which counts how long tasks ran and messages were
/// under way, and leads through a send [critical-path list scheduling: Topcuoglu, Hariri, Wu 2002,
/// upward rank].
[[nodiscard]] std::vector<bool> goes_first(const std::vector<rank_input>& nodes);

}  // namespace plait::detail
