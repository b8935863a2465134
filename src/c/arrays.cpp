// SPDX-License-Identifier: BSD-3-Clause
// Moves of cells of the program's own arrays: each rank plans its part from what all have told.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/mover/array_moves.hpp>

#include "c/calls.hpp"
#include "c/divided_array.hpp"

namespace plait::c {
namespace {

/// Returns the array in plait's form, with axis `order[0]` as x.  A number beyond the array's axes
/// is an axis of one cell, along which an element lies.
template <int D>
[[nodiscard]] detail::array_in_memory<D> in_memory(const divided_array& a, const axis_order& order,
                                                   int rank) {
  const auto size = static_cast<std::int64_t>(a.own.element_bytes);
  decomposition_options<D> options;
  std::vector<owned_block<D>> blocks(a.all.size());
  for (std::size_t x = 0; x < D; ++x) {
    const std::size_t k = order[x];
    const bool own = k < a.axes();
    options.global.along[x] = own ? a.own.cells[k] : 1;
    options.ghosts.along[x] = own ? a.own.ghosts[k] : 0;
    options.periodic[x] = own && a.own.periodic[k] != 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i].rank = a.all[i].rank;
      blocks[i].cells.low.along[x] = own ? a.all[i].first[k] : 0;
      blocks[i].cells.high.along[x] = own ? a.all[i].first[k] + a.all[i].cells[k] : 1;
    }
  }
  detail::array_in_memory<D> made{decomposition<D>(options, blocks), rank, a.own.element_bytes};
  for (std::size_t i = 0; i < a.blocks().size(); ++i) {
    const plait_array_block& block = a.blocks()[i];
    detail::block_in_memory<D>& one = made.local.emplace_back();
    one.id = made.blocks.blocks_of(rank)[i];
    one.cells = made.blocks.block_with_ghosts(one.id);
    one.low = static_cast<std::byte*>(block.begin);
    for (std::size_t x = 0; x < D; ++x) {
      const std::size_t k = order[x];
      const bool apart = k < a.axes() && a.width(block, k) > 1;
      one.strides[x] = apart ? block.stride[k] : size;
      if (apart) one.low -= a.own.ghosts[k] * block.stride[k];
    }
  }
  return made;
}

/// Errors: usage_error, in the program's order of axes, for blocks that do not make up the array.
void expect_whole(const divided_array& a, int rank) {
  axis_order natural(a.axes());
  std::iota(natural.begin(), natural.end(), std::size_t{0});
  switch (a.axes()) {
    case 1:
      return void(in_memory<1>(a, natural, rank));
    case 2:
      return void(in_memory<2>(a, natural, rank));
    case 3:
      return void(in_memory<3>(a, natural, rank));
    default:
      return void(in_memory<4>(a, natural, rank));
  }
}

/// Plans by `plan(arrays...)` of as many axes as there are.
template <int D, class Plan>
[[nodiscard]] move_plan plan_of(const described_move& move, int rank, const Plan& plan) {
  std::vector<detail::array_in_memory<D>> arrays;
  for (const divided_array& a : move.arrays) arrays.push_back(in_memory<D>(a, move.order, rank));
  return plan(std::span<const detail::array_in_memory<D>>(arrays));
}

template <class Plan>
[[nodiscard]] move_plan planned(described_move& move, int rank, const Plan& plan) {
  for (const divided_array& a : move.arrays) expect_whole(a, rank);
  if (!move.dense) {
    if (move.order.size() == PLAIT_AXES) {
      throw usage_error("elements of an array of four axes lie side by side along its fastest one");
    }
    move.order.insert(move.order.begin(), move.order.size());
  }
  switch (move.order.size()) {
    case 1:
      return plan_of<1>(move, rank, plan);
    case 2:
      return plan_of<2>(move, rank, plan);
    case 3:
      return plan_of<3>(move, rank, plan);
    default:
      return plan_of<4>(move, rank, plan);
  }
}

/// `describe` says what this rank has, and `plan` makes the plan of it.
template <class Describe, class Plan>
int make(plait_runtime* rt, const char* function, plait_mover** made, const Describe& describe,
         const Plan& plan) noexcept {
  const int before = call(rt, function, from::waiting, [rt] { rt->joined->wait(); });
  if (before != PLAIT_SUCCESS) return before;
  return call(rt, function, from::to_wait, [&] {
    described_move move;
    std::exception_ptr refusal;
    try {
      expect_given(made, function, "place for the mover");
      *made = nullptr;
      describe(move);
    } catch (...) {
      refusal = std::current_exception();
    }
    auto handle = std::make_unique<plait_mover>(plait_mover{rt, {}});
    try {
      agree(*rt, move, refusal);
      handle->plan = planned(move, rt->env.rank(), plan);
    } catch (const usage_error& why) {
      if (refusal != nullptr) throw;
      throw usage_error(std::string(function) + ": " + why.what());
    }
    rt->movers.insert(handle.get());
    *made = handle.release();
  });
}

[[nodiscard]] plait_ghost_options read_options(const plait_ghost_options* given,
                                               std::vector<agreed>& facts) {
  const plait_ghost_options own = own_version(given, "plait_ghost_options");
  if (own.boundary < PLAIT_BOUNDARY_KEPT || own.boundary > PLAIT_BOUNDARY_VALUE)
    throw usage_error("plait_ghosts: boundary " + std::to_string(own.boundary) + " does not exist");
  if (own.boundary == PLAIT_BOUNDARY_VALUE && own.value == nullptr)
    throw usage_error("plait_ghosts: the value at the boundary is a null pointer");
  facts.push_back({"corners", own.corners != 0 ? 1 : 0});
  facts.push_back({"boundary", own.boundary});
  facts.push_back({"message_a_box", own.message_a_box != 0 ? 1 : 0});
  return own;
}

template <int D>
[[nodiscard]] detail::cell_setting<D> boundary_of(const plait_ghost_options& options,
                                                  std::size_t element_bytes) {
  detail::cell_setting<D> how{.to_nearest = options.boundary == PLAIT_BOUNDARY_NEAREST};
  if (options.boundary != PLAIT_BOUNDARY_VALUE) return how;
  const auto* const first = static_cast<const std::byte*>(options.value);
  how.set = [value = std::vector<std::byte>(first, first + element_bytes)](
                const point<D>&, std::byte* at) { std::memcpy(at, value.data(), value.size()); };
  return how;
}

void expect_alike(const plait_array& from, const plait_array& to) {
  const auto expect = [](bool alike, const std::string& what, std::int64_t a, std::int64_t b) {
    if (alike) return;
    throw usage_error("plait_redistribution: " + what + " is " + std::to_string(a) +
                      " in the source and " + std::to_string(b) + " in the target");
  };
  expect(from.axes == to.axes, "the number of axes", from.axes, to.axes);
  expect(from.element_bytes == to.element_bytes, "the size of an element",
         static_cast<std::int64_t>(from.element_bytes),
         static_cast<std::int64_t>(to.element_bytes));
  for (std::size_t k = 0; k < static_cast<std::size_t>(from.axes); ++k)
    expect(from.cells[k] == to.cells[k], "the number of cells" + along(k), from.cells[k],
           to.cells[k]);
}

}  // namespace
}  // namespace plait::c

using namespace plait::c;

int plait_ghosts(plait_runtime* rt, const plait_array* of, const plait_ghost_options* given,
                 plait_mover** made) {
  plait_ghost_options options{};
  const auto describe = [&](described_move& move) {
    move.facts.push_back({"the kind of move", 1});
    move.arrays.push_back(read_array(of, "plait_ghosts", ""));
    add_facts(move.arrays.front(), move.facts);
    options = read_options(given, move.facts);
  };
  const auto plan = [&]<int D>(std::span<const plait::detail::array_in_memory<D>> arrays) {
    const auto reach = options.corners != 0 ? plait::ghost_reach::all : plait::ghost_reach::faces;
    const auto how =
        options.message_a_box != 0 ? plait::messages_per::box : plait::messages_per::rank;
    return plait::detail::plan_ghosts<D>(
        arrays.front(), reach, {}, boundary_of<D>(options, arrays.front().element_bytes), 0, false,
        {.name = options.name != nullptr ? options.name : "ghosts", .message = how});
  };
  return make(rt, "plait_ghosts", made, describe, plan);
}

int plait_redistribution(plait_runtime* rt, const plait_array* from, const plait_array* to,
                         const char* name, plait_mover** made) {
  const auto describe = [&](described_move& move) {
    move.facts.push_back({"the kind of move", 2});
    move.arrays.push_back(read_array(from, "plait_redistribution", "source: "));
    move.arrays.push_back(read_array(to, "plait_redistribution", "target: "));
    expect_alike(move.arrays[0].own, move.arrays[1].own);
    for (const divided_array& a : move.arrays) add_facts(a, move.facts);
  };
  const auto plan = [&]<int D>(std::span<const plait::detail::array_in_memory<D>> arrays) {
    return plait::detail::plan_redistribution<D>(arrays[0], arrays[1],
                                                 {.name = name != nullptr ? name : "redistribute"});
  };
  return make(rt, "plait_redistribution", made, describe, plan);
}

int plait_move(plait_runtime* rt, plait_mover* mover) {
  return call(rt, "plait_move", from::program, [&] {
    expect_given(mover, "plait_move", "mover");
    if (!mover->plan.has_value())
      throw state_error("plait_move: the runtime of the mover has ended");
    rt->to().move(*mover->plan);
  });
}

int plait_mover_free(plait_mover** one) {
  if (one == nullptr) return fail(PLAIT_ERR_USAGE, "plait_mover_free: a null pointer");
  plait_mover* const mover = *one;
  if (mover == nullptr) return PLAIT_SUCCESS;
  int code = PLAIT_SUCCESS;
  if (mover->plan.has_value()) {
    code = call(mover->owner, "plait_mover_free", from::program,
                [mover] { mover->owner->movers.erase(mover); });
  }
  if (code != PLAIT_SUCCESS) return code;
  delete mover;
  *one = nullptr;
  return code;
}
