// SPDX-License-Identifier: BSD-3-Clause
/// Plans that move cells of distributed arrays: into ghosts, to another decomposition, to one rank.
/// Built from the geometry of the decompositions alone: every rank knows all of it, so nothing is
/// communicated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/array/block_array.hpp>
#include <plait/array/block_copies.hpp>
#include <plait/mover/move_plan.hpp>

namespace plait {

/// Boundary condition that gives ghost cells behind the physical boundary the value of the domain's
/// nearest cell (`nearest_cell`).  A derivative of zero, Neumann's.
struct nearest_cell_t {};
inline constexpr nearest_cell_t nearest_cell{};

/// Says which value ghost cells behind the physical boundary get: a value (Dirichlet's),
/// `nearest_cell`, or the result of a function of the cell, called for each cell in each move, by
/// any thread.  By default ghost cells there stay as they are.
template <class T, int D>
class boundary_condition {
 public:
  boundary_condition() = default;
  boundary_condition(T value) : of_cell_([value](const point<D>&) { return value; }) {}
  boundary_condition(nearest_cell_t) : nearest_(true) {}
  template <class Function>
  requires(std::is_invocable_r_v<T, const Function&, const point<D>&> &&
           !std::is_convertible_v<Function, T>) boundary_condition(Function of_cell)
      : of_cell_(std::move(of_cell)) {}

  [[nodiscard]] bool changes_cells() const noexcept { return nearest_ || of_cell_ != nullptr; }
  [[nodiscard]] bool is_nearest() const noexcept { return nearest_; }
  [[nodiscard]] T at(const point<D>& cell) const { return of_cell_(cell); }

 private:
  std::function<T(const point<D>&)> of_cell_;
  bool nearest_ = false;
};

/// Says which ghosts `ghosts_of` fills, and with which values.
template <class T, int D>
struct ghost_options {
  /// Ghosts that a stencil reads, with or without those at edges and corners.
  ghost_reach reach = ghost_reach::faces;
  /// Boundary condition, used where the domain is not periodic.
  boundary_condition<T, D> boundary = {};
  /// Number of layers, at most those the array has.  All if left out.
  std::optional<extents<D>> widths = {};
  std::string name = "ghosts";
  messages_per message = messages_per::rank;
  /// Greatest number of cells in a message: larger boxes are cut, and each part leaves as soon as
  /// it is final.  Then there is a message for each part.  0: boxes are not cut.
  std::int64_t cells_per_message = 0;
  /// As `copy_options::gaps_travel`: ghosts behind the physical boundary, between cells that
  /// travel, become those of the rank that sends.  Without effect where `boundary` changes such
  /// ghosts.
  bool gaps_travel = false;
};

/// Fills the ghosts of all blocks of `u` that have a neighbour, and those at the physical boundary
/// as its condition says.  Local; all ranks make it with the same options.  Errors: usage_error for
/// widths that the array does not have.  Cost: as `ghost_copies` of a rank.
///
///     plait::move_plan ghosts = plait::ghosts_of(u, {.boundary = 0.0});
template <class T, int D>
[[nodiscard]] move_plan ghosts_of(block_array<T, D>& u, const ghost_options<T, D>& options = {});

/// Says how copies between blocks become messages.
struct copy_options {
  std::string name = "move";
  messages_per message = messages_per::box;
  /// A box that lies in one piece but for short gaps, at most a 32nd of it, where there are only
  /// ghosts that no copy fills, travels as it lies, without being packed.  Then the ghosts in the
  /// gaps become anything.
  bool gaps_travel = false;
};

/// Plans these copies between blocks of `u`.  This is KeLP's motion plan, made by the program from
/// parts of `ghost_copies` or from others.  Local.  Of any two ranks both give the same copies
/// between them, those of other ranks none. [multitier-kelp, section 3.3]
///
///     auto copies = plait::ghost_copies(u.blocks(), plait::ghost_reach::faces, env.rank());
///     for (auto& copy : copies) copy.from = intersect(copy.from, rows);
///     rt.move(plait::moving(u, copies));
template <class T, int D>
[[nodiscard]] move_plan moving(block_array<T, D>& u,
                               std::type_identity_t<std::span<const block_copy<D>>> copies,
                               const copy_options& options = {});

/// Brings every cell of `from` to where it is in `to`, whose ghosts it leaves as they are.  Local.
/// Precondition: two arrays, of this rank.  Errors: usage_error if the domains differ.
template <class T, int D>
[[nodiscard]] move_plan redistribution(const block_array<T, D>& from, block_array<T, D>& to,
                                       const move_options& options = {.name = "redistribute"});

/// Brings every cell to rank `root`: there `all` becomes the domain, x fastest; elsewhere it is not
/// used.  Local.  Errors: usage_error if `all` has another size.
template <class T, int D>
[[nodiscard]] move_plan gathering(const block_array<T, D>& from, int root, std::span<T> all,
                                  const move_options& options = {.name = "gather"});

// ---------------------------------------------------------------------------------------------------
namespace detail {

/// A block of this rank: what lies where.
template <int D>
struct block_in_memory {
  int id = 0;
  box<D> cells;  ///< those that lie there, ghosts included
  std::byte* low = nullptr;
  std::array<std::int64_t, D> strides{};  ///< bytes, x first
};

/// The blocks of one rank of an array, in the order of their numbers, whatever the elements.
template <int D>
struct array_in_memory {
  decomposition<D> blocks;
  int rank = 0;
  std::size_t element_bytes = 0;
  std::vector<block_in_memory<D>> local = {};
};

template <class T, int D>
[[nodiscard]] block_in_memory<D> in_memory(int id, const view<T, D>& cells) {
  block_in_memory<D> result{.id = id, .cells = cells.cells()};
  auto* const low = const_cast<std::remove_const_t<T>*>(cells.at(cells.cells().low));
  result.low = reinterpret_cast<std::byte*>(low);
  for (const axis a : axes<D>) {
    result.strides[static_cast<std::size_t>(index_of(a))] =
        static_cast<std::int64_t>(cells.stride(a) * static_cast<std::ptrdiff_t>(sizeof(T)));
  }
  return result;
}

template <class T, int D>
[[nodiscard]] array_in_memory<D> in_memory(const block_array<T, D>& u) {
  array_in_memory<D> result{u.blocks(), u.rank(), sizeof(T)};
  result.local.reserve(u.local_blocks().size());
  for (const int id : u.local_blocks()) result.local.push_back(in_memory(id, u.block(id)));
  return result;
}

/// A boundary condition, the type of the cells forgotten.
template <int D>
struct cell_setting {
  bool to_nearest = false;
  /// Writes what the condition says of a cell to where the cell lies.  Empty: as `to_nearest` says.
  std::function<void(const point<D>& cell, std::byte* at)> set = {};
};

// The plans of arrays whose types are forgotten.  Compiled for 1 to 4 dimensions.
template <int D>
[[nodiscard]] move_plan plan_ghosts(const array_in_memory<D>& u, ghost_reach reach,
                                    const std::optional<extents<D>>& widths,
                                    const cell_setting<D>& boundary, std::int64_t cells_per_message,
                                    bool gaps_travel, const move_options& options);
template <int D>
[[nodiscard]] move_plan plan_moving(const array_in_memory<D>& u,
                                    std::span<const block_copy<D>> copies,
                                    const copy_options& options);
template <int D>
[[nodiscard]] move_plan plan_redistribution(const array_in_memory<D>& from,
                                            const array_in_memory<D>& to,
                                            const move_options& options);
template <int D>
[[nodiscard]] move_plan plan_gathering(const array_in_memory<D>& from, int root,
                                       std::span<std::byte> all, const move_options& options);

}  // namespace detail

template <class T, int D>
move_plan ghosts_of(block_array<T, D>& u, const ghost_options<T, D>& options) {
  detail::cell_setting<D> boundary{.to_nearest = options.boundary.is_nearest()};
  if (options.boundary.changes_cells() && !boundary.to_nearest) {
    boundary.set = [condition = options.boundary](const point<D>& cell, std::byte* at) {
      *reinterpret_cast<T*>(at) = condition.at(cell);
    };
  }
  return detail::plan_ghosts<D>(detail::in_memory(u), options.reach, options.widths, boundary,
                                options.cells_per_message, options.gaps_travel,
                                {.name = options.name, .message = options.message});
}

template <class T, int D>
move_plan moving(block_array<T, D>& u, std::type_identity_t<std::span<const block_copy<D>>> copies,
                 const copy_options& options) {
  return detail::plan_moving<D>(detail::in_memory(u), copies, options);
}

template <class T, int D>
move_plan redistribution(const block_array<T, D>& from, block_array<T, D>& to,
                         const move_options& options) {
  PLAIT_EXPECTS(&from != &to && from.rank() == to.rank(), "two arrays of one rank");
  return detail::plan_redistribution<D>(detail::in_memory(from), detail::in_memory(to), options);
}

template <class T, int D>
move_plan gathering(const block_array<T, D>& from, int root, std::span<T> all,
                    const move_options& options) {
  return detail::plan_gathering<D>(detail::in_memory(from), root, std::as_writable_bytes(all),
                                   options);
}

}  // namespace plait
