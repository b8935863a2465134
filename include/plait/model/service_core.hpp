// SPDX-License-Identifier: BSD-3-Clause
/// Predicts whether a node gains by giving one of its processors to communication alone, as Thyme
/// does: arithmetic on what a step was measured to take.  Measures nothing.
#pragma once

#include <plait/core/cxx20.hpp>

#include <string>

namespace plait::model {

/// Holds what a step of a program takes on one node, in seconds, all at least 0.
struct node_step {
  int cores = 1;             ///< processors of the node, at least 1
  double computation_s = 0;  ///< computation on all of them, without messages
  double one_less_s = 0;     ///< the same on one processor less; not read where there is one
  double exchange_s = 0;     ///< the messages of a process for each processor, without computation
  double network_s = 0;      ///< the messages of one process a node, without computation
  double transport_s = 0;    ///< processor time of these, where one thread looks after them
  /// Processor time that these take from all processors together, where those compute and look
  /// after messages: calls, copies, the kernel's work, interrupted tasks and cold caches.
  double taken_s = 0;
};

/// Times of a step under three organisations of a node with the same processors, in seconds.
struct service_forecast {
  double blocking_s = 0;  ///< a process for each processor, which waits for its messages
  double workers_s = 0;   ///< one process, whose workers compute on all processors
  double service_s = 0;   ///< one process with a worker less, and a thread that serves messages

  /// Returns whether the service thread is worth a worker.
  [[nodiscard]] bool pays() const noexcept { return service_s < workers_s; }
  /// Returns whether it is worth a processor beside processes that wait: Thyme's claim.
  [[nodiscard]] bool pays_beside_blocking() const noexcept { return service_s < blocking_s; }
};

/// Returns, with p processors:
///
///     blocking = computation + exchange
///     workers  = max(network, computation + taken / p)
///     service  = max(network, computation on p - 1, transport)
///
/// Where computation divides evenly, the service thread is worth a worker if messages take more
/// than a (p - 1)-th of the node's computation from the workers, and worth a processor beside
/// processes that wait if those wait for more than a (p - 1)-th of their computation.  A node of
/// one processor has none to give: service = infinity.  Errors: usage_error for figures out of
/// range.  Thread-safe.
[[nodiscard]] service_forecast forecast_service(const node_step& step);

/// Returns the same program on nodes of `cores` processors, with as many cells for each.  What
/// crosses the network is the surface of a node's cells, so processor time of messages grows by
/// (cores / step.cores)^(2/3).  The network is taken to be as much faster: its time stays.  A
/// processor less costs the same share of what it would cost if computation divided evenly.
/// Precondition: cores >= 1, step.cores >= 2.  Errors: as forecast_service.  Thread-safe.
[[nodiscard]] node_step with_cores(const node_step& step, int cores);

/// Returns what the model says of a step in one sentence without a full stop: "by the model …".
/// Errors: as forecast_service.
[[nodiscard]] std::string service_sentence(const node_step& step);

}  // namespace plait::model
