// SPDX-License-Identifier: BSD-3-Clause
/// The service that carries out the operations on one window.
#pragma once

#include <functional>

#include <plait/comm/served_window.hpp>

namespace plait {

/// Its functions promise what those of `served_window` of the same names do.  Holder of the token
/// only.
class one_sided_service {
 public:
  using finished_list = served_window::finished_list;

  one_sided_service() = default;
  virtual ~one_sided_service() = default;
  one_sided_service(const one_sided_service&) = delete;
  one_sided_service& operator=(const one_sided_service&) = delete;

  virtual void start(operation& op, finished_list& done) = 0;
  virtual bool look(finished_list& done) = 0;
  virtual void close() = 0;
  virtual void give_up(finished_list& done) = 0;
  virtual void abandon(finished_list& done) = 0;
  virtual void for_each(const std::function<void(const operation&)>& visit) const = 0;
  [[nodiscard]] virtual bool is_quiet() const = 0;

  /// After `close`: how long to wait until it is quiet.
  [[nodiscard]] virtual double patience_s() const noexcept = 0;
  /// Lets go of what MPI keeps.  Collective; blocks, so all ranks should be known to be about to
  /// call it.  Precondition: it is quiet on all ranks.
  virtual void end() = 0;
};

}  // namespace plait
