// SPDX-License-Identifier: BSD-3-Clause
/// The collective calls of recordings: what each is, and whether its messages are those of its
/// schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plait/simulate/call_program.hpp>
#include <plait/trace/recording.hpp>

namespace plait::simulate {

/// Rank after rank.  Operations go by their numbers in the rank's template.
class call_table {
 public:
  /// `where` begins the errors, and outlives this.
  explicit call_table(const std::string& where) : where_(where) {}

  /// Begins a call, by the group of its items; returns 1 + its place, or 0 for a call that sends
  /// nothing, and for one that compares the sizes that ranks name.  Errors: usage_error for a call
  /// that is not the same on all ranks.
  [[nodiscard]] std::uint32_t begin(const recording& from, std::uint32_t group);
  void add_message(std::uint32_t operation, const recorded_message& one);
  void add_task(std::uint32_t operation, std::uint64_t took_ns);
  /// Ends a rank.  Calls of which no message took place become calculations.  Errors: usage_error
  /// for one whose messages are not those of its schedule.
  void end_rank(const recording& from, rank_template& built);

  /// Returns the number by which a message that is no call's is matched.  Errors: usage_error.
  [[nodiscard]] std::uint32_t stream_of(const recorded_message& one);

  /// Returns all calls, with the time that one of their tasks takes.
  [[nodiscard]] std::vector<collective_call> all() const;

 private:
  struct message {
    bool sent;
    std::uint32_t peer;
    std::uint64_t size_bytes;
    friend bool operator==(const message&, const message&) = default;
  };
  struct steps {
    std::vector<message> messages;
    std::uint64_t tasks = 0;
    std::uint64_t took_ns = 0;
  };
  [[nodiscard]] std::vector<message> expected(const collective_call& call,
                                              const recording& of) const;

  const std::string& where_;
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::int32_t>> named_;  ///< streams
  std::vector<collective_call> calls_;
  std::vector<steps> sums_;                                ///< of tasks of each call, all ranks
  std::unordered_map<std::uint32_t, steps> of_operation_;  ///< of this rank
  std::map<std::uint32_t, std::uint32_t> place_of_;        ///< by group, of this rank
};

}  // namespace plait::simulate
