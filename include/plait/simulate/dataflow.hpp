// SPDX-License-Identifier: BSD-3-Clause
/// Predicts a program's time on a machine, with who looks after messages and when: the dialect
/// `plait`.  Not here: LogGOPSim's dialect (loggops.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <plait/model/parameters.hpp>
#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Says who looks after messages; the names are those of the engine's policies (`progress`).
enum class look_policy : std::uint8_t { none, workers, sleeping, automatic, dedicated };

/// Returns "none", "workers", "sleeping", "auto" or "dedicated".
[[nodiscard]] std::string_view to_string(look_policy policy) noexcept;
/// Errors: usage_error that names all.
[[nodiscard]] look_policy look_policy_from(std::string_view name);

class flow_network;

/// A machine, times in ps.  The defaults cost nothing.
struct machine {
  std::int64_t latency_ps = 0;
  std::int64_t send_overhead_ps = 0;
  std::int64_t receive_overhead_ps = 0;
  double overhead_byte_ps = 0;  ///< processor time of a further byte, on each side
  std::int64_t gap_ps = 0;
  double byte_ps = 0;  ///< of a node's port, each way
  std::uint64_t eager_limit_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bucket_bytes = 0;  ///< that a port lets pass at once after it was idle
  std::int64_t look_ps = 0;        ///< of a core, for each look that a proxy or a worker takes
  std::int64_t worst_delay_ps = 1'500'000'000;  ///< `engine_options::worst_delay_s`
  look_policy policy = look_policy::dedicated;
  /// Threads of a rank that run tasks, any of which takes the next; 0: calculations run on the
  /// processors that they name.
  std::uint32_t workers = 0;
  std::uint32_t cores = 0;  ///< of a rank; 0: one more than workers
  /// Long receives wait for the rank's own long messages to the same rank, as plait's engine has
  /// them wait over TCP.  They do so as in a run of the program that is not the first.
  bool pairs_long_messages = false;
  std::vector<std::uint32_t> node_of;  ///< of each rank; empty: each rank has its own
  /// Carries bytes between nodes in place of their ports.  Latencies are then its own, within a
  /// node 0, and neither `latency_ps`, `byte_ps` nor `bucket_bytes` counts.  It outlives the
  /// machine.
  flow_network* links = nullptr;
};

/// Returns the machine with a network of these parameters.
[[nodiscard]] machine machine_of(const model::parameters& network);

/// Parts of the critical path.
enum class path_part : std::uint8_t {
  computation,
  core,  ///< computation of other tasks, which kept the core
  latency,
  bytes,     ///< of the message, and of those that its stream carried before
  overhead,  ///< processor time of messages
  looks,     ///< until somebody looked
};
inline constexpr std::size_t path_parts = 6;
[[nodiscard]] std::string_view to_string(path_part part) noexcept;

/// Predicted time of a program, and what it consists of.
struct prediction {
  std::int64_t time_ps = 0;
  std::vector<std::int64_t> finish_ps;              ///< of each rank
  std::array<std::int64_t, path_parts> parts_ps{};  ///< add up to the time
  std::vector<std::int64_t> names_ps;  ///< computation of each name on the path, by its number
  /// Derivatives while the order of events stays: seconds per second of latency, and the ps that
  /// one ps a byte more would cost.
  std::uint64_t latencies = 0;
  double bytes = 0;
  [[nodiscard]] path_part limiter() const noexcept;
};

/// Runs the program.  Errors: usage_error for operations that never run, which it names, and for
/// messages whose sides have different sizes.
[[nodiscard]] prediction predict(const program& of, const machine& on);

}  // namespace plait::simulate
