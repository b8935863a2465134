// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <plait/collective/choice.hpp>
#include <plait/core/error.hpp>
#include <plait/simulate/more_ranks.hpp>

#include "simulate/name_table.hpp"
#include "simulate/ranks/grid_places.hpp"
#include "simulate/ranks/message_pairs.hpp"
#include "simulate/ranks/quantities.hpp"
#include "simulate/ranks/rotated_durations.hpp"
#include "simulate/ranks/same_work.hpp"
#include "simulate/ranks/scaling.hpp"
#include "simulate/ranks/structure.hpp"

namespace plait::simulate {
namespace {

/// From recordings of 2 and 4 ranks predictions for 8 were tested.
constexpr std::uint32_t most_times_recorded = 2;

[[nodiscard]] std::uint64_t ranks_of(const grid_extents& grid) {
  std::uint64_t ranks = 1;
  for (const std::uint32_t extent : grid) ranks *= extent;
  return ranks;
}

/// Returns the name of a message without the peer that ends it: "ghosts to" of "ghosts to 3".
[[nodiscard]] std::string name_of(const program& all, const operation& what) {
  std::string name = all.names[what.name];
  const std::string peer = std::to_string(what.peer);
  const std::size_t length = name.size() - std::min(name.size(), peer.size() + 1);
  if (what.kind != operation_kind::calculation && name.ends_with(peer) && length > 0 &&
      name[length] == ' ')
    name.resize(length);
  return name;
}

/// Returns the recordings by their number of ranks, with one table of names.
[[nodiscard]] std::vector<recorded_calls> in_order(std::vector<recorded_calls> recorded) {
  std::ranges::stable_sort(recorded, {},
                           [](const recorded_calls& one) { return one.program.ranks(); });
  if (recorded.size() < 2 || recorded.front().program.ranks() == recorded.back().program.ranks())
    throw usage_error(
        "more ranks need recordings with two different numbers of ranks at least, such as 2 and 4");
  std::vector<std::string> names{""};
  name_table numbers(names);
  for (recorded_calls& one : recorded) {
    program& all = one.program.operations;
    for (rank_template& rank : all.templates)
      for (operation& what : rank.operations) what.name = numbers.number(name_of(all, what));
  }
  for (recorded_calls& one : recorded) one.program.operations.names = names;
  return recorded;
}

/// Tags that name ranks differ within a class: they are numbered, and it is tried again.
[[nodiscard]] common_structure structure_with_tags(std::vector<recorded_calls>& recorded) {
  try {
    return structure_of(recorded);
  } catch (const usage_error&) {
    std::vector<recorded_calls> numbered = recorded;
    for (recorded_calls& one : numbered) number_tags_by_pair(one.program.operations);
    try {
      common_structure found = structure_of(numbered);
      recorded = std::move(numbered);
      return found;
    } catch (const usage_error&) {  // the first reason is the program's own
    }
    throw;
  }
}

[[nodiscard]] common_structure structure_of(std::vector<recorded_calls>& recorded,
                                            durations which) {
  common_structure found = structure_with_tags(recorded);
  if (which == durations::of_fewest_ranks) take_durations_of_first(recorded, found);
  return found;
}

/// Of something there stays something.
[[nodiscard]] std::uint64_t times(std::uint64_t value, double factor) {
  const auto made = static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor));
  return value > 0 ? std::max<std::uint64_t>(made, 1) : 0;
}

[[nodiscard]] bool is_usual(const collective_call& call, std::uint32_t ranks) {
  return call.how == collective::usual_algorithm(call.shape_on(0, ranks), true);
}

}  // namespace

class more_ranks::implementation {
 public:
  implementation(std::vector<recorded_calls> given, durations which)
      : recorded(in_order(std::move(given))),
        structure(structure_of(recorded, which)),
        space(structure.grids),
        laws(recorded, structure, space) {}

  /// Returns why a grid cannot be generated; empty: it can.
  [[nodiscard]] std::string why_not(const grid_extents& grid) const {
    const std::string text = grid_text(grid, std::max(structure.axes, axes_used(grid)));
    if (axes_used(grid) > structure.axes)
      return fmt::format("grid {}: recordings have {} axes; record such a grid", text,
                         structure.axes);
    for (std::size_t axis = 0; axis < grid.size() && !structure.alike; ++axis)
      if (const std::string why = why_not_along(axis, grid); !why.empty())
        return fmt::format("grid {}: {}", text, why);
    if (!space.at(grid).has_value())
      return fmt::format(
          "grid {}: no law is known for the axis along which no recordings differ (they are {}); "
          "record another extent of that axis",
          text, grids_text());
    if (!structure.alike) {
      for (const std::uint32_t number : classes_on(grid))
        if (!structure.classes.contains(number))
          return fmt::format(
              "grid {}: no recorded rank has such neighbours as some there (recordings are {}); "
              "record a grid with as many ends along each axis",
              text, grids_text());
    }
    return {};
  }

  /// Durations that are usual in the largest recording.
  using usual_of_classes = std::map<const rank_class*, std::vector<std::uint64_t>>;

  /// Returns the operations of a rank.  Calls get places in `calls`.
  [[nodiscard]] rank_template rank_on(const grid_extents& grid, std::uint32_t rank,
                                      std::uint32_t ranks, std::uint64_t seed,
                                      std::vector<collective_call>& calls,
                                      usual_of_classes& usual) const {
    const rank_class& of = structure.classes.at(structure.class_number(rank, grid));
    const class_member donor = donor_of(of, grid, rank, seed);
    const call_program& from = recorded[donor.recording].program;
    rank_template made = from.operations.of_rank(donor.rank);
    if (structure.grids[donor.recording] != grid) {
      auto known = usual.find(&of);
      if (known == usual.end()) known = usual.emplace(&of, usual_in(of, donor.recording)).first;
      rotate_durations(made, known->second, exchangeable(made), seed, rank);
    }
    const auto at = *space.at(grid);
    const auto donor_at = *space.at(structure.grids[donor.recording]);
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      operation& what = made.operations[i];
      const collective_call* const call = from.call_of(what);
      const double factor = laws.factor(what, call, of.peers[i], donor_at, at);
      if (call != nullptr) {
        what.samples = place_of(scaled(*call, factor, from.ranks(), ranks), calls);
        continue;
      }
      what.size = times(what.size, factor);
      if (what.kind != operation_kind::calculation) what.peer = of.peers[i].peer_of(rank, grid);
    }
    return made;
  }

  /// Errors: usage_error for more operations than fit in memory, before any is made.
  void expect_room(const grid_extents& grid, std::uint32_t ranks, std::uint64_t seed) const {
    constexpr std::uint64_t most_operations = std::uint64_t{1} << 26;
    std::uint64_t operations = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const rank_class& of = structure.classes.at(structure.class_number(rank, grid));
      const class_member donor = donor_of(of, grid, rank, seed);
      operations += recorded[donor.recording].program.operations.of_rank(donor.rank).size();
    }
    if (operations > most_operations)
      throw usage_error(fmt::format("{} ranks have {} operations; {} are the most", ranks,
                                    operations, most_operations));
  }

  std::vector<recorded_calls> recorded;
  common_structure structure;
  grid_space space;
  quantity_laws laws;

 private:
  /// On a grid that was recorded each rank is its own; else one of the largest recording is drawn.
  [[nodiscard]] class_member donor_of(const rank_class& of, const grid_extents& grid,
                                      std::uint32_t rank, std::uint64_t seed) const {
    const auto known = std::ranges::find(structure.grids, grid);
    if (known != structure.grids.end())
      return {static_cast<std::uint32_t>(known - structure.grids.begin()), rank};
    const std::uint32_t largest = of.members.back().recording;
    const auto first = std::ranges::find(of.members, largest, &class_member::recording);
    const auto those = static_cast<std::uint64_t>(of.members.end() - first);
    return first[static_cast<std::ptrdiff_t>(drawn_number(seed, rank, 0) % those)];
  }

  [[nodiscard]] std::vector<std::uint64_t> usual_in(const rank_class& of,
                                                    std::uint32_t recording) const {
    std::vector<const rank_template*> ranks;
    for (const class_member& one : of.members)
      if (one.recording == recording)
        ranks.push_back(&recorded[recording].program.operations.of_rank(one.rank));
    return usual_durations(ranks);
  }

  [[nodiscard]] std::string grids_text() const {
    std::string text;
    for (const grid_extents& grid : structure.grids) {
      if (!text.empty()) text += " and ";
      text += grid_text(grid, structure.axes);
    }
    return text;
  }

  [[nodiscard]] static std::set<axis_place> places_along(std::uint32_t extent) {
    std::set<axis_place> all;
    for (std::uint32_t at = 0; at < std::min(extent, 3U); ++at)
      all.insert(place_along(at == 2 ? extent - 1 : at, extent));
    return all;
  }

  [[nodiscard]] std::string why_not_along(std::size_t axis, const grid_extents& grid) const {
    std::set<axis_place> known;
    for (const grid_extents& one : structure.grids) known.merge(places_along(one[axis]));
    const std::string along =
        structure.axes == 1
            ? ""
            : fmt::format(" along axis {}", axis + structure.axes - grid.size() + 1);
    for (const axis_place one : places_along(grid[axis])) {
      if (known.contains(one)) continue;
      if (one == axis_place::between)
        return fmt::format(
            "no recorded rank has neighbours on both sides{}: record 3 ranks or "
            "more{}",
            along, along);
      if (one == axis_place::alone)
        return fmt::format("no recorded rank is alone{}: record 1 rank{}", along, along);
      return fmt::format("no recorded rank has neighbours{}: record 2 ranks or more{}", along,
                         along);
    }
    return {};
  }

  [[nodiscard]] static std::set<std::uint32_t> classes_on(const grid_extents& grid) {
    std::set<std::uint32_t> numbers{0};
    for (const std::uint32_t extent : grid) {
      std::set<std::uint32_t> next;
      for (const std::uint32_t number : numbers)
        for (const axis_place one : places_along(extent))
          next.insert(4 * number + static_cast<std::uint32_t>(one));
      numbers = std::move(next);
    }
    return numbers;
  }

  /// An algorithm that plait chooses by its rules is chosen anew.
  [[nodiscard]] static collective_call scaled(collective_call call, double factor,
                                              std::uint32_t from, std::uint32_t to) {
    const bool was_usual = is_usual(call, from);
    call.count = times(call.count, factor);
    if (const std::string why = call.why_not_on(to); !why.empty()) throw usage_error(why);
    if (was_usual && from != to) call.how = collective::usual_algorithm(call.shape_on(0, to), true);
    return call;
  }

  [[nodiscard]] static std::uint32_t place_of(const collective_call& call,
                                              std::vector<collective_call>& calls) {
    const auto found = std::ranges::find(calls, call);
    const auto place = static_cast<std::uint32_t>(found - calls.begin());
    if (found == calls.end()) calls.push_back(call);
    return place + 1;
  }
};

more_ranks::more_ranks(std::vector<recorded_calls> recorded, durations which)
    : self_(std::make_unique<implementation>(std::move(recorded), which)) {}
more_ranks::~more_ranks() = default;
more_ranks::more_ranks(more_ranks&&) noexcept = default;
more_ranks& more_ranks::operator=(more_ranks&&) noexcept = default;

std::vector<grid_extents> more_ranks::grids() const {
  return self_->structure.grids;
}

grid_extents more_ranks::grid_of(std::uint32_t ranks) const {
  for (std::size_t n = 0; n < self_->recorded.size(); ++n)
    if (self_->recorded[n].program.ranks() == ranks) return self_->structure.grids[n];
  std::vector<grid_extents> all = grids_with(ranks, self_->structure.axes);
  std::ranges::stable_sort(all, {},
                           [](const grid_extents& grid) { return std::ranges::max(grid); });
  const auto found = std::ranges::find_if(
      all, [this](const grid_extents& grid) { return self_->why_not(grid).empty(); });
  if (found == all.end())
    throw usage_error(fmt::format("{} ranks: {}", ranks, self_->why_not(all.front())));
  return *found;
}

call_program more_ranks::generate(const grid_extents& grid, std::uint64_t seed) const {
  if (const std::string why = self_->why_not(grid); !why.empty()) throw usage_error(why);
  const std::uint64_t ranks = ranks_of(grid);
  constexpr std::uint64_t most_ranks = 1'000'000;
  if (ranks > most_ranks)
    throw usage_error(fmt::format("{} ranks; {} are the most", ranks, most_ranks));
  self_->expect_room(grid, static_cast<std::uint32_t>(ranks), seed);
  call_program made;
  made.operations.names = self_->recorded.front().program.operations.names;
  made.operations.unit_ps = self_->recorded.front().program.operations.unit_ps;
  implementation::usual_of_classes usual;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    made.operations.template_of.push_back(rank);
    made.operations.templates.push_back(
        self_->rank_on(grid, rank, static_cast<std::uint32_t>(ranks), seed, made.calls, usual));
  }
  return made;
}

const std::vector<power_law>& more_ranks::laws() const {
  return self_->laws.all();
}

std::string more_ranks::why_not_trusted(const grid_extents& grid) const {
  if (std::ranges::find(self_->structure.grids, grid) != self_->structure.grids.end()) return {};
  const std::uint64_t ranks = ranks_of(grid);
  const std::uint64_t fewest = self_->recorded.front().program.ranks();
  const std::uint64_t most = self_->recorded.back().program.ranks();
  if (ranks > most_times_recorded * most)
    return fmt::format("more than {} times as many ranks as the {} that were recorded",
                       most_times_recorded, most);
  if (ranks * most_times_recorded < fewest)
    return fmt::format("fewer than half of the {} ranks that were recorded", fewest);
  return self_->laws.why_uncertain();
}

}  // namespace plait::simulate
