// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is measured: messages between two ranks and whole collective operations, in
/// turns.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/rows/measured_rows.hpp"
#include "measured_network.hpp"
#include "operation.hpp"

namespace plait::network::collectives {

using nbc::buffers;
using nbc::memory_bytes;
using nbc::operation;
using nbc::operation_named;
using nbc::operation_names;

/// An operation by one algorithm, and what the model calls them.
struct measured_case {
  const operation* what = nullptr;
  collective::shape call;
  collective::algorithm how = collective::algorithm::linear;
  model::operation modelled_what = model::operation::bcast;
  model::algorithm modelled_how = model::algorithm::linear;

  [[nodiscard]] std::string row() const;     ///< "alltoall linear"
  [[nodiscard]] std::string column() const;  ///< "64KiB"
  [[nodiscard]] std::size_t size_bytes() const noexcept { return call.count * call.element_bytes; }
};

struct session_options {
  std::vector<measured_case> cases;
  int messages = 4;  ///< of a burst
  double sample_s = 0.05;
  shaped_link link;
  measure::repetition_options repetition;
};

/// A call on so many ranks by each of the algorithms, "all" or their names, that exist for it and
/// have a formula.
[[nodiscard]] std::vector<measured_case> cases_of(const operation& what,
                                                  const std::vector<std::string>& algorithms,
                                                  std::size_t size_bytes, int ranks,
                                                  std::size_t fragment_bytes);
/// Names of algorithms that can be asked for, of any operation.
[[nodiscard]] std::vector<std::string_view> algorithm_names();

/// The result's "rows", with prediction and error, its "network" and its "median_error_percent", by
/// operation and over "all": of the errors' magnitudes.  Of meaning on rank 0.  Collective.
struct session_result {
  measure::json rows;
  measure::json network;
  measure::json median_error_percent;
  std::string network_text;
};
[[nodiscard]] session_result measure(environment& env, const session_options& wanted);

}  // namespace plait::network::collectives
