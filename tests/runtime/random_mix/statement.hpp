// SPDX-License-Identifier: BSD-3-Clause
/// One statement of a mixed program: what it does to the memory of all ranks when statements run
/// one after the other, and what each rank submits for it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/runtime/lane.hpp>
#include <plait/runtime/runtime.hpp>

#include "memory.hpp"

namespace plait::test::mix {

/// Ranks of the job that talk by themselves, in the order of their numbers there.
struct group {
  std::size_t communicator = 0;
  std::vector<int> members;

  [[nodiscard]] std::size_t size() const { return members.size(); }
  /// Returns the rank of a member in the group; the group's size if `world_rank` is no member.
  [[nodiscard]] std::size_t rank_of(int world_rank) const;
};

/// All ranks unnamed and named; halves; odd and even backwards; each rank alone; all but one.
inline constexpr std::size_t communicators = 6;
[[nodiscard]] std::vector<group> groups_of(std::size_t communicator, int ranks);
/// Behind them come the lanes.
inline constexpr std::size_t lanes = 2;
/// Collective.
[[nodiscard]] std::vector<communicator> make_communicators(environment& env);

/// Ghosts of an array that moves fill, in two ways.
struct ghost_rule {
  ghost_reach reach = ghost_reach::faces;
  bool has_boundary = false;
  messages_per message = messages_per::rank;
};
/// An array with the rules by which moves fill its ghosts.
struct moved_array : array_layout {
  std::array<ghost_rule, 2> rules;
};
[[nodiscard]] moved_array random_array(generator& g, int ranks);
/// Collective.  By `move_rule`.
[[nodiscard]] std::vector<move_plan> plans_of(environment& env, const moved_array& array,
                                              rank_memory& memory);

/// Objects that a running rank submits to and works on.
struct live_rank {
  runtime& rt;
  rank_memory& memory;
  const window<word>& slots;
  const std::vector<communicator>& communicators;
  const std::vector<std::unique_ptr<lane>>& lanes;
  const std::vector<move_plan>& moves;
  int rank = 0;
};

/// Memory that a statement reads or writes on a rank.
struct touch {
  piece where;
  bool writes = false;
};

class statement {
 public:
  statement() = default;
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  virtual ~statement() = default;

  /// On the memory of all ranks, at once.
  virtual void apply(job_memory& job) const = 0;
  /// On the ranks that take part.
  virtual void submit(live_rank& here) const = 0;
  [[nodiscard]] virtual bool takes_part(int rank) const = 0;
  [[nodiscard]] virtual std::vector<touch> touches(int rank) const = 0;
  [[nodiscard]] virtual std::string text() const = 0;
  /// Returns true if the statement computes and does nothing else.  It may then be submitted after
  /// any statement that it does not conflict with.
  [[nodiscard]] virtual bool may_move() const { return false; }
  /// Returns true if the statement changes the size of a container.
  [[nodiscard]] virtual bool resizes() const { return false; }

  /// In the program, from 1; those that give a slot away and take it back have one number.
  std::size_t number = 0;
  /// The numbers of those without which it makes no sense.
  std::vector<std::size_t> needs;
};

using statement_ptr = std::unique_ptr<statement>;

/// Features that a program may do without.
struct features {
  bool containers = true;
  bool library_vectors = true;  ///< operations with blocks of different sizes by the MPI library
};

/// Knowledge of a job while its program is made.
struct scene {
  int ranks = 1;
  features with;
  const moved_array* array = nullptr;
  std::vector<std::vector<std::size_t>> region_bytes;  ///< by rank
  bool few_children = false;
  std::size_t next_number = 1;
  /// By target and source: the number of the statement that has given the slot to the target.
  std::vector<std::vector<std::optional<std::size_t>>> given = {};

  [[nodiscard]] int any_rank(generator& g) const {
    return static_cast<int>(g.below(static_cast<std::size_t>(ranks)));
  }
};

// Each makes one statement at random, or none where what was drawn makes no sense.
[[nodiscard]] statement_ptr random_computation(generator& g, const scene& s);
[[nodiscard]] statement_ptr random_message(generator& g, const scene& s);
[[nodiscard]] statement_ptr random_counted_message(generator& g, const scene& s);
[[nodiscard]] statement_ptr random_lane_tasks(generator& g, const scene& s);
[[nodiscard]] statement_ptr random_collective(generator& g, const scene& s);
[[nodiscard]] statement_ptr random_container_task(generator& g, const scene& s);
/// The program waits for the lists: not to be recorded.
[[nodiscard]] statement_ptr random_list_message(generator& g, const scene& s);
[[nodiscard]] statement_ptr random_move(generator& g, const scene& s);
[[nodiscard]] statement_ptr random_star_task(generator& g, const scene& s);
/// One that gives a slot away, or takes it back, has its number already.
[[nodiscard]] statement_ptr random_one_sided(generator& g, scene& s);
/// Precondition: the slot in `target` of `source` is given.
[[nodiscard]] statement_ptr hand_back(int source, int target, scene& s);
/// The program waits for something and reads it: not to be recorded.
[[nodiscard]] statement_ptr random_wait(generator& g, const scene& s);

}  // namespace plait::test::mix
