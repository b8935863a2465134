// SPDX-License-Identifier: BSD-3-Clause
/// Finds the arrows between the events of a run: which event waited for which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/trace/event.hpp>

namespace plait {

/// Why one event waited for another.
enum class arrow_kind : std::uint8_t {
  dependence,  ///< from the last that a task or message waited for, on its rank
  message,     ///< from a send to the receive that it meets
};

/// From one event to another, by their places in the list of events.
struct trace_arrow {
  std::size_t from = 0;
  std::size_t to = 0;
  arrow_kind kind = arrow_kind::dependence;
};

/// Returns the arrows whose two ends are among `events` (of all ranks, of one run), by where they
/// point to.
[[nodiscard]] std::vector<trace_arrow> find_arrows(std::span<const trace_event> events);

}  // namespace plait
