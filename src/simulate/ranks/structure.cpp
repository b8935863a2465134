// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/ranks/structure.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>

#include "simulate/ranks/grid_places.hpp"

namespace plait::simulate {
namespace {

[[nodiscard]] std::uint32_t stepped(std::uint32_t rank, const grid_step& step,
                                    const grid_extents& grid) {
  const grid_extents at = coordinates_of(rank, grid);
  std::uint32_t to = 0;
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    const std::int64_t extent = grid[axis];
    const std::int64_t moved = (std::int64_t{at[axis]} + step[axis]) % extent;
    to = to * grid[axis] + static_cast<std::uint32_t>(moved < 0 ? moved + extent : moved);
  }
  return to;
}

/// Returns the steps from a rank to another that go around no axis twice, the shortest first.
[[nodiscard]] std::vector<grid_step> steps_between(std::uint32_t from, std::uint32_t to,
                                                   const grid_extents& grid) {
  const grid_extents a = coordinates_of(from, grid);
  const grid_extents b = coordinates_of(to, grid);
  std::vector<grid_step> all{grid_step{}};
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    const auto direct = static_cast<std::int32_t>(b[axis]) - static_cast<std::int32_t>(a[axis]);
    if (direct == 0) continue;
    const std::int32_t around = direct > 0 ? direct - static_cast<std::int32_t>(grid[axis])
                                           : direct + static_cast<std::int32_t>(grid[axis]);
    const std::size_t known = all.size();
    for (std::size_t i = 0; i < known; ++i) {
      all.push_back(all[i]);
      all.back()[axis] = around;
      all[i][axis] = direct;
    }
  }
  std::ranges::stable_sort(all, {}, [](const grid_step& step) {
    std::int32_t length = 0;
    for (const std::int32_t along : step) length += std::abs(along);
    return length;
  });
  return all;
}

[[nodiscard]] bool is_diagonal(const grid_step& step) {
  return std::ranges::count(step, 0) < static_cast<std::ptrdiff_t>(step.size()) - 1;
}

/// Few ranks fit any grid by steps that go around.  So where ranks are not alike, a diagonal step
/// goes to a neighbour, and around nothing.
[[nodiscard]] bool is_short_and_inside(const grid_step& step, std::uint32_t rank,
                                       const grid_extents& grid) {
  const grid_extents at = coordinates_of(rank, grid);
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    const std::int64_t to = std::int64_t{at[axis]} + step[axis];
    if (std::abs(step[axis]) > 1 || to < 0 || to >= std::int64_t{grid[axis]}) return false;
  }
  return true;
}

[[nodiscard]] bool has_peer(const operation& what) {
  return what.kind != operation_kind::calculation;
}

/// Returns whether two operations are equal but for peers, sizes and processors.
[[nodiscard]] bool do_the_same(const call_program& a, const operation& of_a, const call_program& b,
                               const operation& of_b) {
  const collective_call* const call_a = a.call_of(of_a);
  const collective_call* const call_b = b.call_of(of_b);
  if ((call_a == nullptr) != (call_b == nullptr)) return false;
  if (call_a != nullptr &&
      (call_a->what != call_b->what || call_a->root != call_b->root ||
       call_a->element_bytes != call_b->element_bytes || call_a->in_place != call_b->in_place))
    return false;
  return of_a.kind == of_b.kind && of_a.name == of_b.name && of_a.tag == of_b.tag &&
         of_a.nic == of_b.nic;
}

/// Tries one hypothesis.
class trial {
 public:
  trial(std::span<const recorded_calls> recorded, std::vector<grid_extents> grids, bool alike,
        bool steps_only)
      : recorded_(recorded), steps_only_(steps_only) {
    found_.grids = std::move(grids);
    found_.alike = alike;
  }

  /// Returns whether all ranks fit.
  [[nodiscard]] bool fits() {
    if (!have_as_many()) return false;
    for (std::uint32_t n = 0; n < recorded_.size(); ++n) {
      for (std::uint32_t rank = 0; rank < recorded_[n].program.ranks(); ++rank) {
        const std::uint32_t number = found_.class_number(rank, found_.grids[n]);
        rank_class& of = found_.classes[number];
        if (!of.members.empty() && !is_like(of.members.front(), {n, rank})) return false;
        of.members.push_back({n, rank});
        ++progress;
      }
    }
    for (auto& [_, of] : found_.classes)
      if (!find_peers(of)) return false;
    return true;
  }

  std::size_t progress = 0;  ///< ranks that fit
  std::string why_not;
  [[nodiscard]] common_structure& found() { return found_; }

 private:
  [[nodiscard]] const rank_template& of(const class_member& one) const {
    return recorded_[one.recording].program.operations.of_rank(one.rank);
  }
  [[nodiscard]] std::uint32_t ranks_of(const class_member& one) const {
    return recorded_[one.recording].program.ranks();
  }

  /// Counts of operations say most, at the price of a look at each rank.
  [[nodiscard]] bool have_as_many() {
    std::map<std::uint32_t, class_member> first_of;
    std::size_t fitting = 0;
    for (std::uint32_t n = 0; n < recorded_.size(); ++n) {
      for (std::uint32_t rank = 0; rank < recorded_[n].program.ranks(); ++rank, ++fitting) {
        const class_member one{n, rank};
        const std::uint32_t number = found_.class_number(rank, found_.grids[n]);
        const class_member first = first_of.try_emplace(number, one).first->second;
        if (of(first).size() == of(one).size()) continue;
        progress = fitting;
        return is_like(first, one);  // says how
      }
    }
    return true;
  }

  [[nodiscard]] bool is_like(const class_member& first, const class_member& other) {
    const rank_template& a = of(first);
    const rank_template& b = of(other);
    const call_program& all_a = recorded_[first.recording].program;
    const call_program& all_b = recorded_[other.recording].program;
    const auto between = fmt::format("rank {} of {} and rank {} of {}", first.rank, ranks_of(first),
                                     other.rank, ranks_of(other));
    for (std::uint32_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (do_the_same(all_a, a.operations[i], all_b, b.operations[i])) continue;
      why_not =
          fmt::format("{} have {} and {} operations, of which number {} differs: {} and {}",
                      between, a.size(), b.size(), i, described(all_a, a.operations[i], first.rank),
                      described(all_b, b.operations[i], other.rank));
      return false;
    }
    if (a.size() == b.size() && a.after_end == b.after_end && a.after_start == b.after_start)
      return true;
    why_not = a.size() != b.size()
                  ? fmt::format("{} have {} and {} operations", between, a.size(), b.size())
                  : fmt::format("{} have the same operations in another order", between);
    return false;
  }

  [[nodiscard]] static std::string described(const call_program& of, const operation& what,
                                             std::uint32_t rank) {
    const std::string& name = of.operations.names[what.name];
    const collective_call* const call = of.call_of(what);
    const std::string text =
        call != nullptr ? std::string(to_string(call->what)) : text_of(of.operations, what, rank);
    return name.empty() ? text : fmt::format("'{}' ({})", name, text);
  }

  [[nodiscard]] bool find_peers(rank_class& of_class) {
    const class_member& largest = of_class.members.back();
    const rank_template& one = of(largest);
    of_class.peers.resize(one.size());
    for (std::uint32_t i = 0; i < one.size(); ++i) {
      if (!has_peer(one.operations[i])) continue;
      const auto law = law_of(of_class, i, largest.rank, one.operations[i].peer,
                              found_.grids[largest.recording]);
      if (!law.has_value()) {
        why_not = fmt::format(
            "rank {} of {}: {}: no rule names its peer on all ranks with the same neighbours",
            largest.rank, ranks_of(largest),
            described(recorded_[largest.recording].program, one.operations[i], largest.rank));
        return false;
      }
      of_class.peers[i] = *law;
    }
    return true;
  }

  [[nodiscard]] std::optional<peer_law> law_of(const rank_class& of_class, std::uint32_t number,
                                               std::uint32_t rank, std::uint32_t peer,
                                               const grid_extents& grid) const {
    const auto holds = [&](const peer_law& law) {
      return std::ranges::all_of(of_class.members, [&](const class_member& one) {
        return law.peer_of(one.rank, found_.grids[one.recording]) ==
               of(one).operations[number].peer;
      });
    };
    for (const grid_step& step : steps_between(rank, peer, grid)) {
      if (!found_.alike && is_diagonal(step) && !is_short_and_inside(step, rank, grid)) continue;
      const peer_law law{peer_law::rule::step, step, 0};
      if (holds(law)) return law;
    }
    if (steps_only_) return std::nullopt;
    for (const peer_law& law : {peer_law{peer_law::rule::exclusive_or, {}, rank ^ peer},
                                peer_law{peer_law::rule::same, {}, peer}})
      if (holds(law)) return law;
    return std::nullopt;
  }

  std::span<const recorded_calls> recorded_;
  const bool steps_only_;
  common_structure found_;
};

/// Tries grids of a number of axes for all recordings.
class search {
 public:
  explicit search(std::span<const recorded_calls> recorded) : recorded_(recorded) {}

  [[nodiscard]] std::optional<common_structure> with(std::size_t axes, bool steps_only) {
    std::vector<std::vector<grid_extents>> grids;
    for (std::size_t n = 0; n < recorded_.size(); ++n)
      grids.push_back(fitting(n, axes, steps_only));
    std::vector<grid_extents> chosen;
    return combined(grids, chosen, axes, steps_only);
  }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  [[nodiscard]] bool note(const trial& tried) {
    if (why_not_.empty() || tried.progress > progress_) {
      progress_ = tried.progress;
      why_not_ = tried.why_not;
    }
    return false;
  }

  /// Returns the grids on which the ranks of one recording fit.
  [[nodiscard]] std::vector<grid_extents> fitting(std::size_t n, std::size_t axes,
                                                  bool steps_only) {
    std::vector<grid_extents> those;
    for (const grid_extents& grid : grids_with(recorded_[n].program.ranks(), axes)) {
      trial tried(recorded_.subspan(n, 1), {grid}, false, steps_only);
      if (tried.fits() || note(tried)) those.push_back(grid);
    }
    return those;
  }

  [[nodiscard]] std::optional<common_structure> combined(
      const std::vector<std::vector<grid_extents>>& grids, std::vector<grid_extents>& chosen,
      std::size_t axes, bool steps_only) {
    if (chosen.size() < grids.size()) {
      for (const grid_extents& grid : grids[chosen.size()]) {
        chosen.push_back(grid);
        auto found = combined(grids, chosen, axes, steps_only);
        chosen.pop_back();
        if (found.has_value()) return found;
      }
      return std::nullopt;
    }
    for (const bool alike : {true, false}) {
      trial tried(recorded_, chosen, alike, steps_only);
      if (!tried.fits()) {
        (void)note(tried);
        continue;
      }
      if (!shares_classes(tried)) continue;
      tried.found().axes = axes;
      return std::move(tried.found());
    }
    return std::nullopt;
  }

  /// Returns whether each recording has a class that another has with another number of ranks:
  /// else nothing says how they grow.
  [[nodiscard]] bool shares_classes(trial& tried) const {
    for (std::uint32_t n = 0; n < recorded_.size(); ++n) {
      const auto shared = [&](const auto& numbered) {
        const auto& members = numbered.second.members;
        const auto is_own = [n](const class_member& one) { return one.recording == n; };
        return std::ranges::any_of(members, is_own) && !std::ranges::all_of(members, is_own);
      };
      if (std::ranges::any_of(tried.found().classes, shared)) continue;
      return false;
    }
    return true;
  }

  std::span<const recorded_calls> recorded_;
  std::size_t progress_ = 0;
  std::string why_not_;
};

}  // namespace

std::uint32_t peer_law::peer_of(std::uint32_t rank, const grid_extents& grid) const {
  switch (by) {
    case rule::step:
      return stepped(rank, step, grid);
    case rule::exclusive_or:
      return rank ^ value;
    default:
      return value;
  }
}

std::uint32_t common_structure::class_number(std::uint32_t rank, const grid_extents& grid) const {
  return alike ? 0 : class_of(rank, grid);
}

common_structure structure_of(std::span<const recorded_calls> recorded) {
  search among(recorded);
  for (const bool steps_only : {true, false}) {
    for (std::size_t axes = 1; axes <= most_axes; ++axes) {
      auto found = among.with(axes, steps_only);
      if (found.has_value()) return *std::move(found);
    }
  }
  throw usage_error(among.why_not() +
                    ": record grids with the same axes, the same number of steps, and as much "
                    "work for each rank, so that ranks with the same neighbours do the same");
}

}  // namespace plait::simulate
