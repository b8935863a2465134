// SPDX-License-Identifier: BSD-3-Clause
/// Random programs for all ranks of a job, made from a seed, and what they must compute.  Knows no
/// MPI: every rank makes the whole job's programs and their results by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plait/comm/progress_policy.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::test {

enum class element : std::uint8_t { byte, word };

[[nodiscard]] constexpr std::size_t size_of(element e) noexcept {
  return e == element::byte ? 1 : 4;
}

/// The data of one rank: one array of each element.
struct memory {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> words;
  friend bool operator==(const memory&, const memory&) = default;
};

/// Rows of an array that lie at regular distances; all in elements.
struct planned_rows {
  std::array<std::size_t, 2> count{1, 1};
  std::array<std::size_t, 2> stride{};
};

/// Elements [begin, end) of one of a rank's arrays; of a box, those of its first row.
struct planned_access {
  element array = element::byte;
  std::size_t begin = 0;
  std::size_t end = 0;
  access_mode mode = access_mode::in;
  std::optional<planned_rows> rows = {};  ///< of a box: where the others are

  /// Of a range, or of a row.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return (end - begin) * size_of(array); }
};

/// Calls `use` with the first element of each row; of the range, if it is no box.
template <class Use>
void for_each_row(const planned_access& a, Use use) {
  const planned_rows rows = a.rows.value_or(planned_rows{});
  for (std::size_t i = 0; i < rows.count[0]; ++i) {
    for (std::size_t j = 0; j < rows.count[1]; ++j) {
      use(a.begin + i * rows.stride[0] + j * rows.stride[1]);
    }
  }
}

/// One statement of a rank's program.
struct step {
  enum class kind : std::uint8_t { task, send, receive, wait };

  kind what = kind::task;
  plait::priority urgency = priority::normal;
  int peer = 0;
  int tag = 0;
  std::uint64_t salt = 0;
  int spin_us = 0;                       ///< how long the task also burns, to shake the schedule
  std::vector<planned_access> accesses;  ///< a task: 1 to 4; a message: 1; wait: none
};

/// Statements that one rank submits, in order.
using rank_program = std::vector<step>;

struct random_program {
  std::vector<memory> initial;  ///< by rank
  std::vector<rank_program> ranks;
  int iterations = 1;  ///< each rank runs all its statements so often,
  std::vector<bool> replays =
      {};  ///< by rank: recorded and replayed, if its tasks fit the in-flight limit
};

/// Programs that one runtime runs one after the other.
struct random_case {
  runtime_options options;
  std::vector<random_program> programs;
};

/// Deterministic, the same on every machine.
[[nodiscard]] random_case make_case(std::uint64_t seed, int ranks);

/// Memory of one access of a task: `data` is the place of the access.
struct task_view {
  void* data = nullptr;
  planned_access access;
};
/// Does the work of a task: mixes all that it reads, in order, into all that it writes.
void mix(const step& task, std::vector<task_view> views);

/// The memory of every rank at the end, by promise 1: each task runs, and each message is posted,
/// when it is submitted; a message's data appears when a statement first touches it.  A send ends
/// when its receive has been posted, as if MPI had no buffers.  Empty: the programs deadlock.
[[nodiscard]] std::optional<std::vector<memory>> run_reference(const random_program& program);

[[nodiscard]] bool overlap(const planned_access& a, const planned_access& b) noexcept;
[[nodiscard]] void* address(memory& of, const planned_access& access) noexcept;

}  // namespace plait::test
