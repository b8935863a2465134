// SPDX-License-Identifier: BSD-3-Clause
/// Builds the operations of one rank from its recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plait/simulate/program.hpp>
#include <plait/trace/recording.hpp>

#include "simulate/name_table.hpp"
#include "simulate/recorded/blocking_messages.hpp"
#include "simulate/recorded/call_table.hpp"
#include "simulate/recorded/message_tags.hpp"
#include "simulate/recorded/window_requests.hpp"

namespace plait::simulate {

/// Adds part after part.  An operation of its own, of no duration, ends a part and begins the next.
class rank_builder {
 public:
  /// All outlive this.  `where` begins the errors.  With `calls`, a collective is one operation,
  /// and what the program computes itself is no operation, for ranks do not have the same spells of
  /// it: right after a wait it counts to the operation that all later ones wait for, elsewhere to
  /// the next task.
  rank_builder(const recording& from, const message_tags& tags, window_requests& windows,
               name_table& names, const std::string& where, call_table* calls = nullptr);

  /// Errors: usage_error for an operation that cannot be simulated.
  void add(const recorded_part& part);
  /// Notes that all parts are there.
  void parts_over();
  /// Adds what the rank's engine does for the others' operations on windows.  When all ranks have
  /// all their parts.
  void answer_all();
  /// Errors: usage_error for a call whose messages are not those of its schedule, and for a program
  /// that computes much itself before messages, without a wait.
  [[nodiscard]] rank_template build();

 private:
  using number = std::uint32_t;
  struct run {
    std::uint64_t took_ns = 0;
    std::uint32_t thread = 0;
  };
  using of_id = std::unordered_map<std::uint64_t, number>;

  /// As `add_item`; the items of a call are one operation.
  [[nodiscard]] number add_step(const recorded_item& item, std::uint32_t runtime, std::uint64_t id);
  [[nodiscard]] number add_item(const recorded_item& item, std::uint32_t runtime, std::uint64_t id);
  /// Adds a task that has called blocking MPI: its pieces, and the messages that each waits for.
  [[nodiscard]] number add_in_pieces(const operation& task, const task_messages& of);
  /// Adds an operation on a window: what this rank sends and receives for it.
  [[nodiscard]] number add_on_window(std::uint32_t name, const recorded_message& one);
  [[nodiscard]] number add_put_or_get(std::uint32_t name, const recorded_message& one);
  [[nodiscard]] number append(const operation& made);
  /// Adds `made` behind `earlier`.
  [[nodiscard]] number follow(number earlier, const operation& made);
  [[nodiscard]] operation message(std::uint32_t name, std::size_t at) const;
  /// Counts what the program computes; returns the operation that later ones wait for, or none.
  [[nodiscard]] number add_spell(std::uint64_t took_ns, number after);
  void note_passed();
  void add_orders(const recorded_part& part, const std::vector<number>& items,
                  const std::vector<number>& repeated);
  void join_children(const recorded_part& part, const std::vector<number>& items, const of_id& ids);
  void order(number earlier, number later);
  void end_part(number first);
  [[nodiscard]] number end_of(number one) const;

  const recording& from_;
  const message_tags& tags_;
  name_table& names_;
  const std::string& where_;
  call_table* const calls_;
  std::unordered_map<std::uint32_t, number> call_at_;  ///< by group, of this iteration
  std::uint64_t owed_ns_ = 0;                          ///< that the next task takes longer
  std::uint64_t passed_ns_ = 0;                        ///< of that, what a message did not wait for
  std::uint64_t noted_ns_ = 0;  ///< of what is owed, that has been counted there
  std::optional<number> gate_;  ///< what all that is submitted waits for, if nothing was since
  std::unordered_map<number, std::uint64_t> of_gates_ns_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, run>> runs_;  ///< by runtime
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::size_t>> messages_;
  blocking_messages blocking_;
  /// Of a put: its first operation, the one whose end says that the data has left, and the one
  /// whose end says that it is there.
  struct put {
    number first;
    number left;
    number answered;
  };
  struct {
    window_requests& requests;
    std::unordered_map<std::uint32_t, put> last_put = {};  ///< by target, if not landed since
    std::vector<std::pair<message_key, number>> raised_at_home = {};
  } windows_;
  template_builder built_;
  std::unordered_map<number, number> joins_;  ///< of a task with children: what ends with the last
  std::vector<bool> has_earlier_;             ///< of each operation, in this part
  std::vector<bool> has_later_;
  std::optional<number> last_end_;  ///< of the part before
};

}  // namespace plait::simulate
