// SPDX-License-Identifier: BSD-3-Clause
/// Names threads of a program's own beside the workers: a driver of an accelerator, input and
/// output, a communication thread.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace plait {

/// A handle of threads that run the tasks meant for them, and no others.  Workers run none of these
/// tasks.  `runtime::resource` and `scheduler::add_resource` make one.  Copies mean the same
/// threads, which live as long as their scheduler.  Thread-safe.  [MPI/SMPSs, section 2.1,
/// target(resource)]
///
///     const plait::resource io = rt.resource("io");
///     rt.task("write", write, in(block)).target(io);
class resource {
 public:
  /// Makes a handle of no threads, to be assigned later.
  resource() noexcept = default;

  [[nodiscard]] bool is_made() const noexcept { return self_ != nullptr; }
  /// Returns the name, and the number of threads.  Precondition: `is_made()`.
  [[nodiscard]] const std::string& name() const noexcept { return self_->name; }
  [[nodiscard]] int threads() const noexcept { return self_->threads; }

 private:
  friend class scheduler;
  struct identity {
    std::uint64_t owner;  ///< serial number of the scheduler
    std::uint8_t number;  ///< from 1
    std::string name;
    int threads;
  };
  explicit resource(std::shared_ptr<const identity> self) noexcept : self_(std::move(self)) {}

  std::shared_ptr<const identity> self_;
};

/// Names what calls MPI and blocks there; see `submission::target`.
struct comm_target {};
inline constexpr comm_target comm;

/// Names whoever comes by first, a worker or the proxy; see `submission::target`.
struct anyone_target {};
inline constexpr anyone_target anyone;

}  // namespace plait
