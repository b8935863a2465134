// SPDX-License-Identifier: BSD-3-Clause
/// A program of ranks, as simulators run it: operations with their order, no data.  Not here: files
/// (goal.hpp), and what an operation costs.
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace plait::simulate {

/// Kinds of operations; the numbers are those of GOAL's binary form.
enum class operation_kind : std::uint8_t { send = 1, receive = 2, calculation = 3 };

/// Any source, or any tag.
inline constexpr std::uint32_t any = 0xffff'ffffU;

/// Rule by which `operation::peer` names a rank, in a program of P ranks.
enum class peer_rule : std::uint8_t {
  rank,          ///< the rank itself, or `any`
  shift,         ///< (own rank + peer) mod P
  exclusive_or,  ///< own rank ^ peer
  grid_step,     ///< own coordinates + `program::steps[peer]`, periodic in `program::grid`
};

/// Rule by which the duration of a calculation follows from `operation::samples`.
enum class duration_rule : std::uint8_t {
  constant,  ///< `operation::size`
  listed,    ///< sample i of `program::samples[...]` in iteration i, and from the first again
  drawn,     ///< one of the samples, by a hash of `program::seed`, rank, iteration and operation
};

/// One operation of a template.
struct operation {
  std::uint64_t size = 0;     ///< bytes of a message, or the duration in the program's unit
  std::uint32_t peer = 0;     ///< of a message, by `rule`
  std::uint32_t tag = 0;      ///< of a message; `any` matches all
  std::uint32_t name = 0;     ///< index into `program::names`: task or call site
  std::uint32_t samples = 0;  ///< index into `program::samples`, unless `duration` is constant
  operation_kind kind = operation_kind::calculation;
  std::uint8_t cpu = 0;  ///< processor of its rank
  std::uint8_t nic = 0;  ///< network card of its rank
  peer_rule rule = peer_rule::rank;
  duration_rule duration = duration_rule::constant;
  std::uint8_t priority = 1;  ///< of a task: where several are ready, the lowest goes first
  bool is_paired = true;      ///< of a message: plait's engine has long ones by pairs (look)
  bool is_mark = false;       ///< of a calculation of no duration: it takes no thread

  friend bool operator==(const operation&, const operation&) = default;
};
static_assert(sizeof(operation) == 32);

/// An edge to a dependent operation of the same iteration, or of the next.
class dependent {
 public:
  dependent() = default;
  explicit dependent(std::uint32_t operation, bool next_iteration = false)
      : value_(operation | (next_iteration ? next_bit : 0)) {}
  [[nodiscard]] std::uint32_t operation() const { return value_ & ~next_bit; }
  [[nodiscard]] bool next_iteration() const { return (value_ & next_bit) != 0; }

  friend bool operator==(const dependent&, const dependent&) = default;

 private:
  static constexpr std::uint32_t next_bit = 0x8000'0000U;
  std::uint32_t value_ = 0;
};

/// More operations than a template can have.
inline constexpr std::uint32_t too_many_operations = 0x8000'0000U;

/// Edges of all operations one after the other: those of operation i are
/// edges[begin[i]] to edges[begin[i + 1]], in the order in which they were stated.
struct edge_list {
  std::vector<std::uint32_t> begin{0};
  std::vector<dependent> edges;

  [[nodiscard]] std::span<const dependent> of(std::uint32_t operation) const {
    return std::span(edges).subspan(begin[operation], begin[operation + 1] - begin[operation]);
  }
  friend bool operator==(const edge_list&, const edge_list&) = default;
};

/// The operations of one iteration of a rank, in the order of the text.  Ranks share it.
struct rank_template {
  std::vector<operation> operations;
  edge_list after_end;               ///< those that `require` an operation: they wait for its end
  edge_list after_start;             ///< those that `irequire` it: they wait for its start
  std::vector<std::uint32_t> lines;  ///< line of each operation in a text; may be empty

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(operations.size()); }

  /// Returns the number of operations that each waits for, those of an earlier iteration included
  /// or not.  An operation that is stated twice counts twice.
  [[nodiscard]] std::vector<std::uint32_t> unmet(bool with_earlier_iteration) const;
};

/// Builds a template from operations and edges in any order.
class template_builder {
 public:
  /// Adds an operation and returns its number.
  std::uint32_t add(const operation& added, std::uint32_t line = 0);

  /// States that `later` starts after the end of `earlier` (of the previous iteration).
  void require(std::uint32_t later, std::uint32_t earlier, bool of_previous_iteration = false);
  /// States that `later` starts after the start of `earlier` (of the previous iteration).
  void irequire(std::uint32_t later, std::uint32_t earlier, bool of_previous_iteration = false);

  [[nodiscard]] std::uint32_t size() const { return built_.size(); }

  /// Returns the template; the builder is empty then.
  [[nodiscard]] rank_template build();

 private:
  using stated = std::vector<std::pair<std::uint32_t, dependent>>;  // earlier, later

  rank_template built_;
  stated after_end_;
  stated after_start_;
};

/// Extents of the process grid and coordinates in it, the last one fastest; unused axes are 1.
using grid_extents = std::array<std::uint32_t, 4>;
/// A step in the grid along each axis.
using grid_step = std::array<std::int32_t, 4>;

/// A program: templates, ranks that run them, and the number of iterations.
struct program {
  std::vector<rank_template> templates;
  std::vector<std::uint32_t> template_of;  ///< of each rank
  std::uint32_t iterations = 1;

  /// Picoseconds in the unit of durations: 1000 in GOAL files.
  std::uint32_t unit_ps = 1000;
  /// Millionths of the stated duration that each rank takes; empty: 1,000,000 for all.
  std::vector<std::uint32_t> pace;

  grid_extents grid{1, 1, 1, 1};  ///< for `peer_rule::grid_step`
  std::vector<grid_step> steps;
  std::vector<std::vector<std::uint64_t>> samples;  ///< durations
  std::uint64_t seed = 1;
  std::vector<std::string> names{""};  ///< of tasks and call sites; the first is "no name"

  [[nodiscard]] std::uint32_t ranks() const {
    return static_cast<std::uint32_t>(template_of.size());
  }
  [[nodiscard]] const rank_template& of_rank(std::uint32_t rank) const {
    return templates[template_of[rank]];
  }
  /// Returns the number of operations of all ranks and iterations.
  [[nodiscard]] std::uint64_t operations() const;
};

/// Returns the rank that `what` names when `rank` runs it; `any` stays.
[[nodiscard]] std::uint32_t peer_of(const program& of, const operation& what, std::uint32_t rank);

/// Returns the duration of operation number `number`, a calculation, in the program's unit.
[[nodiscard]] std::uint64_t duration_of(const program& of, const operation& what,
                                        std::uint32_t number, std::uint32_t rank,
                                        std::uint32_t iteration);

/// Checks everything that an index or a rule of the program refers to.  Errors: `usage_error` that
/// names the template or rank, and the operation.
void check(const program& checked);

/// Returns "send 8b to 3 tag 5", as GOAL writes the operation when `rank` runs it.
[[nodiscard]] std::string text_of(const program& of, const operation& what, std::uint32_t rank);

}  // namespace plait::simulate
