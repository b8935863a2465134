// SPDX-License-Identifier: BSD-3-Clause
/// Declares what an engine asks of a window: sequence numbers for signals, starting this rank's
/// operations, and answers to other ranks.  Not here: the window itself (exposed_memory.hpp).
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include <plait/comm/operation.hpp>

namespace plait {

class channel;

/// Carries out the operations on one window.  Holder of the token only.
class one_sided_service {
 public:
  struct finished {
    operation* op;
    std::exception_ptr failure;  ///< null when it succeeded or was given up
  };
  using finished_list = std::vector<finished>;

  one_sided_service() = default;
  virtual ~one_sided_service() = default;
  one_sided_service(const one_sided_service&) = delete;
  one_sided_service& operator=(const one_sided_service&) = delete;

  /// Begins `op`.  What has completed by then, `op` itself perhaps, is appended to `done`.
  /// Errors: `error` with what MPI says; then `op` was not started.
  virtual void start(operation& op, finished_list& done) = 0;
  /// Answers other ranks and moves this rank's operations on.  Returns whether anything moved.
  /// Errors: as `start`; then nothing in flight here can be followed any more.
  virtual bool look(finished_list& done) = 0;
  /// After a failure: takes on nothing more of what other ranks want.
  virtual void close() = 0;
  /// After a failure: what waits for other ranks' programs, or has not been given to MPI, is over.
  virtual void give_up(finished_list& done) = 0;
  /// Takes all of this rank's operations out, whatever MPI still does to their buffers.
  virtual void abandon(finished_list& done) = 0;
  /// Visits this rank's operations that were started and have not completed.
  virtual void for_each(const std::function<void(const operation&)>& visit) const = 0;
  /// Returns whether MPI uses no memory on behalf of this window.
  [[nodiscard]] virtual bool is_quiet() const = 0;
  /// After `close`: how long to wait until it is quiet.
  [[nodiscard]] virtual double patience_s() const noexcept = 0;
  /// Lets go of what MPI keeps.  Collective; blocks, so all ranks should be known to be about to
  /// call it.  Precondition: it is quiet on all ranks.
  virtual void end() = 0;
};

/// Joins the service of one window to the places of its signals.
struct served_window {
  virtual ~served_window() = default;
  /// Returns the channel in which `op` gets its sequence number; null for an operation without one.
  /// The thread that enqueues.  Precondition: its peer, its bytes and its flag are in range, and
  /// the window has not ended.
  [[nodiscard]] virtual channel* channel_for(const operation& op) = 0;

  std::unique_ptr<one_sided_service> service;
};

}  // namespace plait
