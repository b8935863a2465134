// SPDX-License-Identifier: BSD-3-Clause
/// Options of an operation on a window, and the operation itself with its types forgotten.  The
/// calls are in one_sided_calls.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <plait/comm/exposed_memory.hpp>
#include <plait/comm/operation.hpp>
#include <plait/task/access.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

/// Moments from which the source of a put may be overwritten.
enum class completion : std::uint8_t {
  remote,  ///< when the data is in the target's memory
  local,   ///< when the data has left the source, which may be earlier
};

/// Options of a put.
struct put_options {
  /// The moment from which later tasks that write the source may begin.  Everything else waits
  /// until the data is in the target's memory, whatever is said here: `wait`, signals, and this
  /// rank's later operations on the same bytes of the target.
  completion source = completion::remote;
};

/// One operation on a window, its types forgotten: a get, a put or an await_signal.
struct one_sided_call {
  task_name name;
  std::shared_ptr<exposed_memory> memory;
  operation::kind what = operation::kind::put;
  int peer = 0;
  std::size_t offset_bytes = 0;
  byte_range data = {};
  bool signals = false;
  int flag = 0;
  completion source = completion::remote;  ///< of a put
  /// Further memory that the operation waits for, or, of `await_signal`, speaks of.
  std::span<const data_access> accesses = {};
  /// Containers whose elements `data` and `accesses` are, if any: a replay refuses the operation
  /// once these lie elsewhere.
  detail::container data_elements_of = {};
  std::span<const detail::container> accesses_elements_of = {};
};

}  // namespace plait
