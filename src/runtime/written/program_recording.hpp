// SPDX-License-Identifier: BSD-3-Clause
/// The recording that PLAIT_RECORD asks for: what one rank has submitted and how long it took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include <plait/collective/shape.hpp>
#include <plait/comm/environment.hpp>
#include <plait/core/clock.hpp>
#include <plait/task/submitted_part.hpp>
#include <plait/trace/recording.hpp>

namespace plait {

class recorder;

/// One an environment.  Main thread.
class program_recording {
 public:
  /// Events that a rank keeps: the tasks and messages of a recording, and the idle spells beside.
  static constexpr std::size_t most_events = 2 * recording::most_items;

  /// Makes the folder, if it is not there, and removes recordings in it.  Errors: usage_error.
  static void prepare(const std::string& folder);

  program_recording(const environment& env, std::string folder);

  /// Begins with the first runtime.
  void begin(int workers, const std::string& policy);
  /// Adds a call of a collective, and returns its number for `scheduler::group`.  `compares`: only
  /// the sizes that ranks name.  Of more than a recording keeps 0, which is none.
  [[nodiscard]] std::uint32_t add(const collective::shape& shape, collective::algorithm how,
                                  bool compares);
  /// Adds what `from` has recorded of a runtime.
  void add(std::size_t runtime, const recorder& from);
  /// Writes this rank's file.  A failure is printed and does not end the program.
  void write() noexcept;

 private:
  [[nodiscard]] std::uint32_t name(std::string_view text);
  [[nodiscard]] std::uint64_t ns_since_begin(ticks at) const noexcept;
  [[nodiscard]] recorded_part part_of(const submitted_part& told);
  void add_messages(std::uint32_t runtime, const recorder& from);
  /// Adds those for which tasks have called blocking MPI.
  void add_blocking(std::uint32_t runtime, const recorder& from);
  void number_blocking();

  const std::string folder_;
  recording all_;
  std::unordered_map<std::string, std::uint32_t> names_;
  ticks begin_ = 0;
  std::size_t held_ = 0;  ///< tasks
};

}  // namespace plait
