// SPDX-License-Identifier: BSD-3-Clause
// Functions that only pass messages on, called from many places, tell nothing by themselves: what
// waits is their callers' communication.  Which functions those are is seen from all ways that all
// ranks have gone.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "attach/after/analysis.hpp"

namespace plait::attach {
namespace {

[[nodiscard]] std::string module_path(const rank_profile& in, int module) {
  return module < 0 ? std::string{} : std::string(in.header.module[module].path);
}

/// The places on a way to a call, the call's first, with functions compiled into others told apart.
using way_of_places = std::vector<code_place>;

/// Lines of Python on the way to a call, without those by which modules are imported.
[[nodiscard]] way_of_places lines_of(const rank_profile& in, const site_data& site) {
  way_of_places found;
  for (int i = 0; i < std::min(site.callers, most_callers); ++i) {
    if (site.caller[i].base != frame_base::python) break;
    const python_place& place = in.lines.at(site.caller[i].address);
    if (is_of_import(place)) continue;
    code_place& one = found.emplace_back();
    one.module = one.file = place.file;
    one.function = place.function;
    one.line = place.line;
  }
  return found;
}

/// Places of all ranks, each named once.
class place_names {
 public:
  [[nodiscard]] std::size_t add(const std::string& module, std::uint64_t offset) {
    const auto [at, is_new] = known_.try_emplace({module, offset}, places_.size());
    if (is_new) {
      places_.emplace_back();
      places_.back().module = module;
      places_.back().offset = offset;
    }
    return at->second;
  }
  void find_names() { named_ = name_places(places_); }
  [[nodiscard]] const std::vector<code_place>& of(std::size_t place) const { return named_[place]; }

 private:
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> known_;
  std::vector<code_place> places_;
  std::vector<std::vector<code_place>> named_;
};

/// Tells places apart: a line of a function, or the code where no line is known.  Compilers copy
/// lines when they thread jumps, unswitch or unroll loops, and clone or inline functions.
using place_key = std::tuple<std::string, std::string, std::string, int, std::uint64_t>;

[[nodiscard]] place_key key_of(const code_place& place) {
  return {place.module, place.function, place.file, place.line, place.line > 0 ? 0 : place.offset};
}

/// Calls through one function.
struct function_seen {
  std::set<std::string> callees;  ///< through which it communicates; "": MPI itself
  std::map<place_key, std::uint64_t> calls_from;
  std::set<place_key> places;  ///< in it, of calls that communicate
  std::string file;            ///< that it is in; "": not known

  /// Called from several places, none of which makes nearly all calls: else they are one program's
  /// main loop and its first step.
  [[nodiscard]] bool is_shared() const noexcept {
    std::uint64_t all = 0;
    std::uint64_t most = 0;
    for (const auto& [place, count] : calls_from) {
      all += count;
      most = std::max(most, count);
    }
    return 10 * (all - most) >= all && all > 0;
  }
  /// Everything goes through one function, or is a call of MPI.
  [[nodiscard]] bool passes_on() const noexcept { return callees.size() <= 1; }
};

class wrappers {
 public:
  void add(const way_of_places& way, std::uint64_t count) {
    std::string callee;
    for (std::size_t i = 0; i < way.size(); ++i) {
      const std::string name = name_of(way[i]);
      if (name.empty()) return;
      function_seen& seen = functions_[name];
      seen.callees.insert(callee);
      seen.places.insert(key_of(way[i]));
      if (!way[i].file.empty()) seen.file = way[i].module + ":" + way[i].file;
      if (i + 1 < way.size()) seen.calls_from[key_of(way[i + 1])] += count;
      callee = name;
    }
  }
  /// Finds the files of wrappers: all their functions pass on, and one is shared.  Once all ways
  /// are added.
  void find_files() {
    std::set<std::string> with_others;
    for (const auto& [name, seen] : functions_) {
      if (!seen.passes_on()) with_others.insert(seen.file);
      if (seen.is_shared() && !seen.file.empty()) files_.insert(seen.file);
    }
    for (const std::string& file : with_others) files_.erase(file);
  }
  /// Returns how many of the innermost places are in wrappers.
  [[nodiscard]] std::size_t count_in(const way_of_places& way) const {
    std::size_t inside = 0;
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      const auto found = functions_.find(name_of(way[i]));
      if (found == functions_.end() || !found->second.passes_on()) break;
      // One of several wrappers, each around the other; and a program's own, not what starts it.
      const bool is_next = inside == i && way[i + 1].line > 0;
      if (found->second.is_shared() || (is_next && is_single(found->second))) inside = i + 1;
    }
    return inside;
  }

 private:
  /// Empty where it has no name that tells it from others.
  [[nodiscard]] static std::string name_of(const code_place& place) {
    return place.function.empty() ? "" : place.module + ":" + place.function;
  }
  /// A function of one call in a file of wrappers, which is one too if nobody shares it.
  [[nodiscard]] bool is_single(const function_seen& seen) const {
    return seen.places.size() == 1 && files_.contains(seen.file);
  }
  std::map<std::string, function_seen> functions_;
  std::set<std::string> files_;
};

}  // namespace

site_index::site_index(std::span<const rank_profile> ranks) : numbers_(ranks.size()) {
  struct raw_way {
    std::size_t rank;
    int number;
    const site_data& site;
    std::vector<std::size_t> places;
    way_of_places lines;  ///< in place of those
  };
  place_names names;
  std::vector<raw_way> ways;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const auto& [number, site] : ranks[r].sites) {
      ways.push_back({r, number, site, {}, lines_of(ranks[r], site)});
      if (!ways.back().lines.empty()) continue;
      auto& places = ways.back().places;
      places.push_back(names.add(module_path(ranks[r], site.module), site.offset));
      for (int i = 0; i < std::min(site.callers, most_callers); ++i) {
        const caller_data& caller = site.caller[i];
        if (caller.module < 0) break;
        places.push_back(names.add(module_path(ranks[r], caller.module),
                                   caller.address - ranks[r].header.module[caller.module].base));
      }
    }
  }
  names.find_names();
  const auto places_of = [&](const raw_way& way) {
    way_of_places places = way.lines;
    for (const std::size_t place : way.places) {
      places.insert(places.end(), names.of(place).begin(), names.of(place).end());
    }
    return places;
  };
  wrappers known;
  for (const raw_way& way : ways) {
    if (way.site.waited > 0 || way.site.bytes > 0) known.add(places_of(way), way.site.count);
  }
  known.find_files();
  std::map<std::pair<int, std::vector<place_key>>, int> numbers;
  for (const raw_way& way : ways) {
    way_of_places places = places_of(way);
    places.resize(known.count_in(places) + 1);
    std::vector<place_key> key;
    for (const code_place& one : places) key.push_back(key_of(one));
    const auto [found, is_new] =
        numbers.try_emplace({way.site.call, key}, static_cast<int>(sites_.size()));
    if (is_new) {
      site_result& made = sites_.emplace_back();
      static_cast<code_place&>(made) = places.front();
      made.call = way.site.call;
      made.callers.assign(places.begin() + 1, places.end());
    }
    numbers_[way.rank][way.number] = found->second;
  }
}

void site_index::renumber(std::span<const int> numbers) noexcept {
  for (auto& of_rank : numbers_) {
    for (auto& [number, site] : of_rank) site = numbers[static_cast<std::size_t>(site)];
  }
}

}  // namespace plait::attach
