// SPDX-License-Identifier: BSD-3-Clause
/// Programs whose collectives are calls, not messages: what a program with another number of ranks
/// can be made of.  Not here: making it (more_ranks.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/collective/shape.hpp>
#include <plait/simulate/program.hpp>
#include <plait/simulate/recorded_program.hpp>

namespace plait::simulate {

/// A call of a collective operation, the same on all ranks.
struct collective_call {
  collective::operation what = collective::operation::barrier;
  collective::algorithm how = collective::algorithm::dissemination;
  std::uint32_t root = 0;
  std::uint64_t element_bytes = 1;
  std::uint64_t count = 0;  ///< elements, as in `collective::shape`
  std::uint64_t fragment_bytes = std::uint64_t{32} * 1024;
  collective::pieces cut = {};
  bool in_place = false;
  std::uint64_t task_ns = 0;  ///< of each combination and copy; no part of comparisons

  /// Returns the shape of the call on a rank of so many.
  [[nodiscard]] collective::shape shape_on(std::uint32_t rank, std::uint32_t ranks) const;
  /// Returns why so many ranks cannot make the call: its root is not there, its elements have no
  /// bytes, or those of all ranks have more than `most_bytes`.  Empty: they can.
  [[nodiscard]] std::string why_not_on(std::uint32_t ranks) const;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 46;

  friend bool operator==(const collective_call& a, const collective_call& b) {
    return a.what == b.what && a.how == b.how && a.root == b.root &&
           a.element_bytes == b.element_bytes && a.count == b.count &&
           a.fragment_bytes == b.fragment_bytes && a.cut == b.cut && a.in_place == b.in_place;
  }
};

/// A program, one template a rank and one iteration.  The k-th send from a rank to another with a
/// tag meets the k-th receive, in the order of the template.
struct call_program {
  /// A call is a calculation; `operation::samples` is 1 + its place in `calls`.
  program operations;
  std::vector<collective_call> calls;

  [[nodiscard]] std::uint32_t ranks() const { return operations.ranks(); }
  /// Returns the call that an operation is, or null.
  [[nodiscard]] const collective_call* call_of(const operation& what) const {
    return what.samples == 0 ? nullptr : &calls[what.samples - 1];
  }
};

/// A call program that was recorded, and what is known of the run (but for its operations).
struct recorded_calls {
  call_program program;
  recorded_program run;
  std::string where;  ///< begins errors
};

/// Reads the folder of a recording of plait's library, or a GOAL file in which comments
/// "collective OPERATION N bytes[, root R]" name calculations that are calls on all ranks.
/// `runtime`: as for `read_recording`.  What the program itself computes between two submissions
/// counts to the task that follows; after a wait, all that follows waits for it.  Errors:
/// usage_error, one line, also for collectives whose messages are not those of their schedule, that
/// some ranks call, or whose blocks differ.
[[nodiscard]] recorded_calls read_calls(const std::string& path,
                                        std::optional<std::uint32_t> runtime = {},
                                        const recording_limits& limits = {});

/// Makes a call program of the recordings of all ranks, in order.  Errors: as `read_calls`.
[[nodiscard]] recorded_calls calls_of(std::span<const recording> ranks, const std::string& where,
                                      std::optional<std::uint32_t> runtime = {},
                                      const recording_limits& limits = {});

/// Takes the calls of a program that was read from GOAL.  Errors: as `read_calls`.
[[nodiscard]] call_program calls_in(program read, const std::string& where);

/// Returns the program with the messages of all calls (`collective::build`), and with a tag of its
/// own for each message between two ranks.  A receive is as long as its send.  Errors: usage_error
/// for a message with one side, and for more operations than `most`.
[[nodiscard]] program expanded(const call_program& with_calls,
                               std::uint64_t most = std::uint64_t{1} << 26);

}  // namespace plait::simulate
