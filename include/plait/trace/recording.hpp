// SPDX-License-Identifier: BSD-3-Clause
/// Declares what a rank's program has submitted and how long all of it took, and the file that
/// keeps it: the input of simulations.  Not here: recording it (runtime), and running it on another
/// machine.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plait {

/// Says what an item of a recording is.
enum class recorded_kind : std::uint8_t {
  task,
  message,  ///< or another operation of the engine
  program,  ///< the program's own computation, between two calls of plait
};

/// One item in the order of submission.
struct recorded_item {
  std::uint64_t id = 0;       ///< unique in its runtime, from 1; 0 of the program's own computation
  std::uint64_t parent = 0;   ///< id of the task that has submitted it; 0: the program has
  std::uint64_t took_ns = 0;  ///< of the program's own computation
  std::uint32_t name = 0;     ///< index into `recording::names`
  recorded_kind kind = recorded_kind::task;
  /// Of steps of one call of a collective operation: 1 + its place in `recording::collectives`.
  std::uint32_t group = 0;
  std::uint8_t priority = 1;  ///< of a task: 0 goes before 1, and 1 before 2

  friend bool operator==(const recorded_item&, const recorded_item&) = default;
};

/// A dependence between two items, by their places.
struct recorded_order {
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;

  friend bool operator==(const recorded_order&, const recorded_order&) = default;
};

/// Items between two moments at which the program waited for all of them.
struct recorded_part {
  std::uint32_t runtime = 0;  ///< by number, from 0
  std::vector<recorded_item> items;
  std::vector<recorded_order> orders;  ///< earlier < later
  /// Items of a replayed graph, and the order within an iteration (earlier < later) and into the
  /// following one.  Item i has the id first_id + iteration × (number of items) + i.
  std::vector<recorded_item> repeated;
  std::vector<recorded_order> same;
  std::vector<recorded_order> next;
  std::uint64_t iterations = 0;
  std::uint64_t first_id = 0;

  friend bool operator==(const recorded_part&, const recorded_part&) = default;
};

/// The run of one task.
struct recorded_run {
  std::uint64_t id = 0;
  std::uint64_t begin_ns = 0;  ///< since the first runtime began
  std::uint64_t took_ns = 0;
  std::uint32_t runtime = 0;
  std::uint32_t thread = 0;  ///< workers first, then threads of resources

  friend bool operator==(const recorded_run&, const recorded_run&) = default;
};

/// One message, or another operation of the engine, that took place.
struct recorded_message {
  /// Says what it was.  Only `point_to_point` has two sides.
  enum class kind : std::uint8_t { point_to_point, one_sided, library_collective };
  /// From this number on, `communicator` is of a message for which a task has called blocking MPI.
  static constexpr std::uint32_t first_of_tasks = 0x8000'0000U;

  std::uint64_t id = 0;  ///< its own, or of the task that has called blocking MPI for it
  std::uint64_t begin_ns = 0;
  std::uint64_t took_ns = 0;  ///< until it was seen to be complete
  std::uint64_t place = 0;    ///< sequence number in matching
  std::uint64_t size_bytes = 0;
  std::uint32_t runtime = 0;
  std::uint32_t called = 0;  ///< name of the collective that it is part of; the first name: of none
  std::uint32_t communicator = 0;  ///< by number; 0: all ranks
  std::uint32_t peer = 0;          ///< one of all ranks
  std::int32_t tag = 0;
  bool sent = false;
  kind what = kind::point_to_point;

  [[nodiscard]] bool is_of_task() const noexcept { return communicator >= first_of_tasks; }
  friend bool operator==(const recorded_message&, const recorded_message&) = default;
};

/// One call of a collective operation that plait carried out message by message: what its messages
/// follow from.  Operation and algorithm by name, as `plait::collective` has them.
struct recorded_collective {
  std::uint64_t element_bytes = 1;
  std::uint64_t count = 0;           ///< elements, as in `collective::shape`
  std::uint64_t fragment_bytes = 0;  ///< of chains
  std::uint64_t piece_bytes = 0;     ///< longer messages are cut
  std::uint64_t most_pieces = 1;
  std::uint32_t operation = 0;  ///< index into `recording::names`
  std::uint32_t algorithm = 0;  ///< index into `recording::names`
  std::uint32_t root = 0;       ///< by its place among those that take part
  std::uint32_t members = 0;    ///< how many take part
  bool in_place = false;
  bool has_lists = false;  ///< blocks of different sizes, or neighbours: they are not kept
  bool compares = false;   ///< only to compare the sizes that ranks name

  friend bool operator==(const recorded_collective&, const recorded_collective&) = default;
};

/// The recording of one rank.
struct recording {
  static constexpr std::uint32_t version = 3;
  static constexpr std::uint32_t oldest_version = 2;  ///< that is read
  /// Most items of a rank, with each iteration of a replay counted.
  static constexpr std::uint64_t most_items = 4'000'000;

  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::uint32_t workers = 1;
  std::uint32_t cores = 1;    ///< that the rank may use
  bool is_whole = true;       ///< false: there was more than could be kept
  std::uint64_t wall_ns = 0;  ///< from the first runtime's begin to the last one's end
  std::string program;
  std::string policy;
  std::string host;
  std::vector<std::string> names{""};
  std::vector<recorded_collective> collectives;
  std::vector<recorded_part> parts;
  std::vector<recorded_run> runs;
  std::vector<recorded_message> messages;
  /// Kinds of MPI calls, in tasks or of the program itself, that are not among the messages.
  std::vector<std::string> unseen_calls;

  friend bool operator==(const recording&, const recording&) = default;
};

/// Returns the name of a rank's file in the folder of a recording.
[[nodiscard]] std::string recording_file(std::uint32_t rank);

/// Returns the text of a file; docs/internals/recording.md has its format.
[[nodiscard]] std::string pack_recording(const recording& one);
/// Returns the recording that `packed` is the file of, with every index in range.  `path` begins
/// the errors.  Errors: usage_error for a file that is damaged, cut off or of another version.
/// Takes no more memory than ten times the size of the file.
[[nodiscard]] recording unpack_recording(std::string_view packed, const std::string& path);

/// Returns the number that ends a file, of all bytes before it.
[[nodiscard]] std::uint64_t recording_checksum(std::string_view bytes) noexcept;

}  // namespace plait
