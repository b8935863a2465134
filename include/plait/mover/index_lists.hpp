// SPDX-License-Identifier: BSD-3-Clause
/// Plans that move single elements of a distributed array by their indices, for sparse codes: each
/// rank lists the elements it needs.  Boxes of cells: array_moves.hpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <plait/comm/environment.hpp>
#include <plait/mover/array_moves.hpp>

namespace plait {

/// Lists of the elements of a distributed array that each rank needs, with their owners: made once,
/// used by any number of plans.  An index may be listed more than once, in any order; a list may be
/// empty.  A copy costs a pointer.
///
///     plait::index_lists ghosts{env, x.blocks(), columns};
///     const auto fetch = plait::gathering(x, ghosts, values);
///     rt.move(fetch);        // values[k] becomes x at columns[k]
class index_lists {
 public:
  /// Collective.  Keeps a copy of the list.  Blocks; `wait()` for tasks first, as
  /// `environment::exchange` says.  Main thread.  Errors: usage_error, the same on every rank, for
  /// an index outside the array, and for owners beyond the ranks of the job.  Cost: one exchange of
  /// the lists (MPI_Alltoall, MPI_Alltoallv); n log b for n indices and b blocks.
  index_lists(environment& env, decomposition<1> owners, std::span<const point<1>> needed);

  [[nodiscard]] const decomposition<1>& owners() const noexcept;
  [[nodiscard]] int rank() const noexcept;
  /// Returns the list of this rank.
  [[nodiscard]] std::span<const point<1>> needed() const noexcept;

  /// Plans and replays use the list as it was when this was made.  Throws usage_error, one line
  /// that names the rank and the index, if `list` is another.  Local.  Cost: n.
  void expect_same(std::span<const point<1>> list) const;

  /// Places in this rank's list whose elements `peer` owns, this rank itself perhaps, ascending.
  struct fetched {
    int peer = 0;
    std::vector<std::size_t> places = {};
  };
  /// Elements of this rank that `peer` needs, in the order of its list.
  struct wanted {
    int peer = 0;
    std::vector<point<1>> cells = {};
  };
  /// By peer, ascending.  For layers above.
  [[nodiscard]] std::span<const fetched> from_peers() const noexcept;
  [[nodiscard]] std::span<const wanted> by_peers() const noexcept;

 private:
  struct parts;
  std::shared_ptr<const parts> parts_;
};

/// Brings the elements of `from` that this rank listed to `to`, in the order of the list.  One
/// message from each rank that owns some; what it brings is released when it arrives.  Local; all
/// ranks make it with the same lists.  Errors: usage_error if `to` has another size than the list,
/// or if `from` has other blocks than the owners.
///
/// An access of a task is a run of elements that lie side by side.  Where a message has more than
/// 256 runs in an array, its access is the elements from the first to the last.  Cost: n log n in
/// the length of the list.
template <class T>
[[nodiscard]] move_plan gathering(const block_array<T, 1>& from, const index_lists& lists,
                                  std::type_identity_t<std::span<T>> to,
                                  const move_options& options = {.name = "gather"});

/// Adds every element of `from` to the element of `to` that has its place in this rank's list: the
/// reverse of `gathering`.  An element's owner adds first its own contributions, then those of rank
/// 0, 1, …, each rank's in the order of its list, so that sums of floating-point numbers have the
/// same bits each time.  Local; all ranks make it with the same lists.  Errors: as `gathering`.
///
///     rt.move(plait::scatter_adding(contributions, ghosts, y));
template <class T>
[[nodiscard]] move_plan scatter_adding(const std::type_identity_t<std::span<const T>>& from,
                                       const index_lists& lists, block_array<T, 1>& to,
                                       const move_options& options = {.name = "scatter-add"});

// ---------------------------------------------------------------------------------------------------
namespace detail {

struct copy_element {
  template <class T>
  static void apply(std::byte* to, const std::byte* from) noexcept {
    std::memcpy(to, from, sizeof(T));
  }
};
struct add_element {
  template <class T>
  static void apply(std::byte* to, const std::byte* from) noexcept {
    T sum;
    T one;
    std::memcpy(&sum, to, sizeof sum);
    std::memcpy(&one, from, sizeof one);
    sum += one;
    std::memcpy(to, &sum, sizeof sum);
  }
};

template <class T, class Action>
void run_list(const element_list& all) noexcept {
  if (all.from.empty()) {
    const std::byte* next = all.message;
    for (std::byte* const to : all.to) {
      Action::template apply<T>(to, next);
      next += sizeof(T);
    }
  } else if (all.to.empty()) {
    std::byte* next = all.message;
    for (const std::byte* const from : all.from) {
      Action::template apply<T>(next, from);
      next += sizeof(T);
    }
  } else {
    for (std::size_t k = 0; k < all.to.size(); ++k)
      Action::template apply<T>(all.to[k], all.from[k]);
  }
}

/// Functions that move elements of one type: `copy` replaces them, `add` sums into them.
struct element_actions {
  std::size_t bytes = 0;
  void (*copy)(const element_list& all) noexcept = nullptr;
  void (*add)(const element_list& all) noexcept = nullptr;  ///< null: elements are replaced
};

/// `values`: this rank's, in the order of its list.
[[nodiscard]] move_plan gather_elements(const array_in_memory<1>& array, const index_lists& lists,
                                        std::span<std::byte> values, const element_actions& actions,
                                        const move_options& options);
[[nodiscard]] move_plan scatter_elements(std::span<std::byte> values, const index_lists& lists,
                                         const array_in_memory<1>& array,
                                         const element_actions& actions,
                                         const move_options& options);

}  // namespace detail

template <class T>
move_plan gathering(const block_array<T, 1>& from, const index_lists& lists,
                    std::type_identity_t<std::span<T>> to, const move_options& options) {
  const detail::element_actions actions{sizeof(T), &detail::run_list<T, detail::copy_element>};
  return detail::gather_elements(detail::in_memory(from), lists,
                                 std::as_writable_bytes(std::span<T>(to)), actions, options);
}

template <class T>
move_plan scatter_adding(const std::type_identity_t<std::span<const T>>& from,
                         const index_lists& lists, block_array<T, 1>& to,
                         const move_options& options) {
  static_assert(std::is_arithmetic_v<T>, "scatter_adding adds numbers");
  const detail::element_actions actions{sizeof(T), &detail::run_list<T, detail::copy_element>,
                                        &detail::run_list<T, detail::add_element>};
  const std::span<const std::byte> bytes = std::as_bytes(from);  // read, and never written
  return detail::scatter_elements({const_cast<std::byte*>(bytes.data()), bytes.size()}, lists,
                                  detail::in_memory(to), actions, options);
}

}  // namespace plait
