// SPDX-License-Identifier: BSD-3-Clause
/// What an engine asks of a window: to start this rank's operations, and to answer other ranks.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <vector>

#include <plait/comm/operation.hpp>

namespace plait {

/// All of it is for the holder of the token.
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
  /// This rank's operations that were started and have not completed.
  virtual void for_each(const std::function<void(const operation&)>& visit) const = 0;
  /// Whether MPI uses no memory on behalf of this window.
  [[nodiscard]] virtual bool is_quiet() const = 0;
};

}  // namespace plait
