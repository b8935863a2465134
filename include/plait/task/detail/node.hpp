// SPDX-License-Identifier: BSD-3-Clause
/// One task in flight: its function and arguments, what it waits for and who waits for it.
#pragma once

#include <plait/core/cxx20.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace plait {

/// Ready tasks of a higher priority run first.
enum class priority : std::uint8_t { high = 0, normal = 1, low = 2 };
inline constexpr priority high = priority::high;
inline constexpr priority normal = priority::normal;
inline constexpr priority low = priority::low;
inline constexpr int priority_count = 3;

namespace detail {

struct task_node;

/// "successor waits for the node in whose list I am".  Lives in the successor, which cannot finish,
/// and so is not reused, before every node that holds one of its edges has let go of it.
///
/// The thread that submits the successor writes both, before the edge is in the list.
struct edge {
  task_node* successor = nullptr;
  edge* next = nullptr;
};

enum class node_kind : std::uint8_t {
  compute,       ///< `act(run)` is the task; it is finished when that returns
  asynchronous,  ///< `act(run)` only starts it; `scheduler::complete` finishes it, from any thread
};

/// Says what an asynchronous node exchanges with other ranks: they wait for it, or it waits for
/// them.
enum class traffic : std::uint8_t { sends, receives, both };

enum class node_action : std::uint8_t {
  run,        ///< once: by-value arguments are moved into the call
  run_again,  ///< for a recorded task: they are copied
  disown,     ///< it has failed after its function has returned, whose result does not count
  destroy,
};

class exclusion;
class family;
class replayed_graph;
class task_stack;

/// Holds the parts of a recorded task that a node does not have.  `replayed_graph` says which
/// thread touches which part.
struct alignas(64) recorded_task {
  replayed_graph* graph = nullptr;
  task_node* const* successors = nullptr;  ///< `same` of them in its iteration, then those in the
  task_node* const* end = nullptr;         ///< following one, up to here
  std::uint32_t same = 0;
  std::uint32_t tasks_each = 1;       ///< nodes of an iteration of the graph
  std::int32_t predecessors = 0;      ///< what `unmet` counts in an iteration that is not the first
  std::int32_t own_predecessors = 0;  ///< what `own_unmet` counts then
  std::uint32_t index = 0;            ///< place in the order of submission
  bool repeatable : 1 = true;         ///< its arguments can be copied
  bool urgency_given : 1 = false;     ///< by .priority()
  bool opens : 1 = false;             ///< it follows none of its iteration
  // How long it takes, and where that puts it (replayed_graph::rank).  The thread that runs or
  // finishes it writes, until `samples` are enough.
  static constexpr std::uint8_t enough_samples = 4;  ///< of which the first does not count
  std::uint8_t samples = 0;
  /// Value that `urgency` of the node takes when the node finishes next.
  std::atomic<priority> urgency{priority::normal};
  bool is_met_plainly = false;  ///< it follows no message, and one of its iteration
  std::int64_t this_run = 0;    ///< ticks, of the run that is being sampled
  std::int64_t took = 0;        ///< ticks, of the shortest run: others were interrupted

  [[nodiscard]] bool is_sampled() const noexcept { return samples < enough_samples; }
  /// Returns how many successors there are.
  [[nodiscard]] std::uint32_t all() const noexcept {
    return static_cast<std::uint32_t>(end - successors);
  }
};

static_assert(sizeof(recorded_task) == 64);

/// Objects that an asynchronous node owns and that do not fit into it.  The layer that makes the
/// node derives its own class, and lets go of the objects when the node is destroyed.
struct node_belongings {
  virtual ~node_belongings() = default;
};

/// Life of a node: free -> being submitted -> waiting (predecessors not met) -> ready -> running ->
/// finished (successors closed; of one that is `unshared`, id 0) -> returned -> free.  Only the
/// submitting thread takes nodes from "returned" to "free" and to "being submitted", and only it
/// follows `node_ref`s; it can therefore compare ids without synchronisation.
struct alignas(64) task_node {
  static constexpr std::size_t storage_bytes = 128;
  static constexpr int inline_edges = 8;

  task_node() noexcept {
    for (edge& one : further_edges) one.successor = this;
  }

  // The first cache line: what every task needs.  The edge is here because whoever finishes the
  // predecessor reads it and `unmet` together, and mostly from another core's cache.
  /// Treiber list of edges; `closed()` once a node that is not `unshared` is finished.  Pushes
  /// only, until one exchange takes everything: no ABA.
  std::atomic<edge*> successors{closed()};
  /// Of a node that `is_met_elsewhere`, and of all nodes of a graph: predecessors not finished,
  /// plus `submission_guard` while it is being submitted.
  std::atomic<std::int32_t> unmet{0};
  bool is_met_elsewhere = false;  // a predecessor is not `unshared`, or it `is_child`
  bool ends_with_care = false;    // its submission: for these, or since it is inside of plait
  bool is_told = false;           // its accesses are not just entered into the program's tracker
  std::uint8_t where = 0;         // number of the resource that runs it; 0: a worker; or `anyone`
  void (*act)(task_node&, node_action) = nullptr;
  /// Order of submission, from 1; of a task of a graph: in the iteration that it runs next; 0 once
  /// a task that is `unshared` has finished.
  std::atomic<std::uint64_t> id{0};
  task_node* next_free = nullptr;  // while returned, free, or in a list of ready ones
  union {
    /// Predecessors that were unfinished when it was submitted; unless it `is_met_elsewhere`, those
    /// that still are.
    std::int32_t edges_made = 0;
    std::int32_t own_unmet;  // of a task of a graph; see replayed_graph::meet
  };
  priority urgency = priority::normal;
  std::uint8_t care = 0;  // why it takes more than to call its function and to finish it
  node_kind kind = node_kind::compute;
  bool is_child = false;  // a task has submitted it
  edge first_edge{this};

  // The second: what few tasks need, and all are asked for.
  /// Locks that the task holds while it runs, in the order of their addresses; null if none.
  /// Complete when the task is submitted.
  std::unique_ptr<std::vector<std::shared_ptr<exclusion>>> exclusions;
  family* children = nullptr;  ///< what it has submitted; its own to delete, when all have finished
  family* siblings = nullptr;  ///< to which a child belongs
  recorded_task* recorded = nullptr;  // for a task of a graph; it is never returned
  task_stack* stack = nullptr;        // while it runs or is suspended, if it can be
  const char* name = "";
  std::atomic<bool> suspended{false};
  traffic exchanges = traffic::both;  // of an asynchronous node
  // With one worker no locked instruction is needed between tasks that it submits and finishes.
  bool unshared = false;   // whoever submits it finishes it
  bool uncounted = false;  // it was suspended: counted as a message that has been started is
  bool trivial = false;    // `act(destroy)` would do nothing

  // The third and the fourth: what only tasks with several predecessors touch.
  alignas(64) edge further_edges[inline_edges - 1];
  std::unique_ptr<std::deque<edge>> more_edges;  // than `inline_edges`; some keep their memory
  std::unique_ptr<node_belongings> owned;        // of an asynchronous node, beyond `storage`

  alignas(64) std::byte storage[storage_bytes];

  // Bits of `care`.
  static constexpr std::uint8_t concluding =
      1;                                        ///< it has run, and what kept it unfinished is over
  static constexpr std::uint8_t excluding = 2;  ///< it has `exclusions`
  static constexpr std::uint8_t elsewhere = 8;  ///< ready, it has no place in a worker's queue
  static constexpr std::uint8_t ranked = 4;  ///< its runs are timed, or its urgency may change yet
  static constexpr std::uint8_t lengthy = 16;  ///< of a recorded task: it may take long; see below

  static constexpr std::size_t second_line = 64;
  static constexpr std::int32_t submission_guard = 1 << 28;
  static constexpr std::uint8_t anyone = 255;  ///< `where` of a task for workers and the helper

  [[nodiscard]] static edge* closed() noexcept {
    static constinit edge sentinel{nullptr, nullptr};
    return &sentinel;
  }
  [[nodiscard]] bool finished() const noexcept {
    return id.load(std::memory_order_relaxed) == 0 ||
           successors.load(std::memory_order_acquire) == closed();
  }
  /// Returns the edges, newest first; there will be no more.  `links`: the caller is also who links
  /// edges.
  [[nodiscard]] edge* close(bool links) noexcept {
    if (!links) return successors.exchange(closed(), std::memory_order_acq_rel);
    edge* const all = successors.load(std::memory_order_relaxed);
    successors.store(closed(), std::memory_order_release);
    return all;
  }
  /// A predecessor has finished.  Returns whether it was the last one.
  [[nodiscard]] bool meet_one() noexcept {
    // Each unfinished predecessor counts one: if the caller's is all that is left, nobody else
    // lowers the count, nor raises it (its submission has ended).  No locked instruction then.
    if (unmet.load(std::memory_order_acquire) != 1) {
      return unmet.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }
    unmet.store(0, std::memory_order_relaxed);
    return true;
  }
  // Cache lines come from another core's cache one after the other unless asked for before: with
  // two workers most of the time of an empty task was the wait for them.
  /// Prefetches the memory that submitting a small task with one predecessor writes.  Null will do.
  static void prefetch_to_submit(const task_node* node) noexcept {
    for (const std::size_t part : {std::size_t{0}, second_line, sizeof(task_node) - storage_bytes})
      __builtin_prefetch(
          reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(node) + part), 1);
  }
  /// Prefetches the memory that running a small task reads beyond the first line, and that
  /// finishing it touches in its successor.
  void prefetch_to_run() const noexcept {
    __builtin_prefetch(&exclusions, 1);
    __builtin_prefetch(storage);
    __builtin_prefetch(successors.load(std::memory_order_relaxed), 1);
  }
  /// Returns whether the task is like most: it needs no care, and has the usual priority.
  [[nodiscard]] bool is_usual() const noexcept { return care == 0 && urgency == priority::normal; }
  /// Notes whether a recorded task was not short when the clock was last read after it, or has not
  /// been read.  The running thread.
  void set_lengthy(bool is_so) noexcept {
    care = static_cast<std::uint8_t>(is_so ? care | lengthy : care & ~lengthy);
  }
  /// Returns a new edge to this node, counted in `edges_made`.
  [[nodiscard]] edge& new_edge() {
    if (has_place_for_edge()) return new_edge_in_place();
    if (more_edges == nullptr) more_edges = std::make_unique<std::deque<edge>>();
    if (edges_made == inline_edges) more_edges->clear();  // of those of an earlier life
    edge& one = more_edges->emplace_back(edge{this});
    ++edges_made;
    return one;
  }
  /// Returns whether one more edge needs no memory.
  [[nodiscard]] bool has_place_for_edge() const noexcept { return edges_made < inline_edges; }
  [[gnu::always_inline, nodiscard]] edge& new_edge_in_place() noexcept {
    const int place = edges_made++;
    return place == 0 ? first_edge : further_edges[place - 1];
  }
  void drop_newest_edge() noexcept {
    if (--edges_made >= inline_edges) more_edges->pop_back();
  }
};

// In the cache of one core there is room for a few thousand in flight.
static_assert(sizeof(task_node) == 384);
static_assert(offsetof(task_node, exclusions) == task_node::second_line);

/// Turns a list that `next_free` links round.  Returns its first node, the last before.
[[nodiscard]] inline task_node* turned_round(task_node* newest) noexcept {
  task_node* oldest = nullptr;
  while (newest != nullptr) {
    task_node* const older = std::exchange(newest->next_free, oldest);
    oldest = std::exchange(newest, older);
  }
  return oldest;
}

/// Returns the iteration, from 0, that a task of a graph runs next or is in; 0 for others.
[[nodiscard]] std::uint64_t iteration_of(const task_node& node) noexcept;

/// A node as it was in one life; refers to a finished task once the node lives another.
struct node_ref {
  task_node* node = nullptr;
  std::uint64_t id = 0;

  node_ref() = default;
  explicit node_ref(task_node& one) noexcept
      : node(&one), id(one.id.load(std::memory_order_relaxed)) {}

  [[gnu::always_inline, nodiscard]] bool is_of_this_life() const noexcept {
    return node != nullptr && node->id.load(std::memory_order_relaxed) == id;
  }
  /// The task, unless it has finished.  Submitting thread only.
  [[gnu::always_inline, nodiscard]] task_node* unfinished() const noexcept {
    const bool is_open = is_of_this_life() &&
                         node->successors.load(std::memory_order_acquire) != task_node::closed();
    return is_open ? node : nullptr;
  }
};

}  // namespace detail
}  // namespace plait
