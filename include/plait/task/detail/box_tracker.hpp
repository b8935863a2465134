// SPDX-License-Identifier: BSD-3-Clause
/// Finds the tasks in flight that a new task must follow, where tasks name boxes of arrays.  Not
/// here: memory of which only ranges have been named (dependence_tracker.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <plait/core/strided_bytes.hpp>
#include <plait/task/detail/access_history.hpp>

namespace plait::detail {

/// Keeps an entry for each box that has been named, whole: a box of 64^3 cells is one entry, not
/// 4096 rows.  Entries may overlap; each knows which others share a byte with it, and has the
/// history of those tasks that named this very box.
///
/// Why overlap is honoured exactly.  A new access follows, in its own entry and in every one that
/// shares a byte with it, each task there that conflicts with its mode; so there is no edge without
/// a conflict.  And there is a path from every unfinished earlier access A that conflicts:  A is in
/// the history of its own entry, which the new access looks into, unless another access has
/// displaced it there.  That was an access to the same box which follows A, or a write of a box
/// that covers A's
/// (`link::covers`); its task follows A, and the new access conflicts with that too, since it
/// shares with a larger box whatever it shares with A's.  By induction on the order of submission.
///
/// `commutative` tasks hold the lock of their own entry and those of the entries they share a byte
/// with, as far as tasks in flight hold these: so of two that must not run at once the later holds
/// the lock of the earlier.  (Two that come later than a third, and share bytes with it but not
/// with each other, do not run at once either.)
///
/// Cost: of a box that was named before, one look-up and its neighbours; of a new one, looking for
/// these with a `layout`.  Entries whose tasks have all finished are swept away whenever the number
/// of entries, or that of links between them, has doubled.  (Links alone grow with the square of
/// the boxes, where all overlap.)  Not thread-safe: the submitting thread's own.
class box_tracker {
 public:
  box_tracker();
  ~box_tracker();
  box_tracker(const box_tracker&) = delete;
  box_tracker& operator=(const box_tracker&) = delete;

  /// Memory that belongs to this tracker: whatever touches it is added here, ranges too.  A set of
  /// ranges, each of which holds the hulls of some boxes.
  [[nodiscard]] bool owns_some_of(byte_range bytes) const noexcept;
  [[nodiscard]] bool knows(const strided_bytes& box) const { return entries_.contains(box); }
  /// From now on `bytes` belong to it.  Returns the range which they are in.
  byte_range own(byte_range bytes);
  /// Takes over the known history of a range in which the tracker has no entry yet.
  void take(byte_range bytes, access_history&& known);

  /// Adds to `task` an edge from every unfinished task it must follow for this access to `box`,
  /// which is normalised and not empty, and whose hull it owns.
  void add(task_node& task, const strided_bytes& box, access_mode mode, const void* operation);

  [[nodiscard]] std::size_t entry_count() const noexcept { return entries_.size(); }
  /// From entries to others that share a byte with them, in both directions.
  [[nodiscard]] std::size_t link_count() const noexcept { return links_; }
  /// Returns the number of entries examined so far in search of those that share a byte with a new
  /// one.
  [[nodiscard]] std::size_t candidate_count() const noexcept { return candidates_; }
  /// Sweeps, if it is time to.  Before what `knows` says is relied on.
  void sweep_if_due();

 private:
  struct entry;
  /// Leads to another entry that shares a byte with the owner of the link.
  struct link {
    entry* to = nullptr;
    bool covers = false;  ///< all bytes of the other are bytes of this
  };
  struct entry {
    strided_bytes box;
    access_history history = {};
    std::vector<link> neighbours = {};
    std::uint64_t looked_at = 0;
    bool swept = false;
  };
  class layout;
  struct region {
    std::uintptr_t end = 0;
    std::vector<layout*> layouts = {};  ///< of the boxes in it
  };
  struct hash_of {
    std::size_t operator()(const strided_bytes& box) const noexcept;
  };

  entry& insert(const strided_bytes& box, bool alone);
  void find_neighbours(entry& of);
  [[nodiscard]] layout& layout_of(const strided_bytes& box);
  void register_in_region(entry& one, layout& in);

  static constexpr std::size_t smallest_sweep = 8192;
  /// 8 MiB of them.  Blocks and the same grown by a rim have 13 each in two dimensions, 40 in
  /// three: such programs, which name them again, have their sweeps by the number of entries.
  static constexpr std::size_t smallest_sweep_of_links = 64 * smallest_sweep;

  std::unordered_map<strided_bytes, entry, hash_of> entries_;
  std::map<std::uintptr_t, region> regions_;
  std::vector<std::unique_ptr<layout>> layouts_;
  std::uint64_t looks_ = 0;
  std::size_t candidates_ = 0;
  std::size_t links_ = 0;
  std::size_t sweep_at_ = smallest_sweep;
  std::size_t sweep_at_links_ = smallest_sweep_of_links;
};

}  // namespace plait::detail
