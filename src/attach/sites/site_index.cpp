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

/// The places on a way to a call, the call's first, with functions compiled into others told apart.
using way_of_places = std::vector<code_place>;

/// Returns the place of a line of Python; nothing for a place in a module.
[[nodiscard]] std::optional<code_place> line_of(const std::string& module, std::uint64_t offset) {
  const std::size_t end = module.find(end_of_python_file);
  if (end == std::string::npos) return std::nullopt;
  code_place place;
  place.module = place.file = module.substr(0, end);
  place.function = module.substr(end + 1);
  place.line = static_cast<int>(offset);
  return place;
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

/// Sites are numbered as they came up, rank by rank.
site_index::site_index(const call_ways& of_all) {
  struct known_way {
    std::uint64_t key;
    const call_way* way;
    std::vector<std::size_t> places;
    way_of_places lines;  ///< in place of those
  };
  std::vector<known_way> ways;
  for (const auto& [key, way] : of_all) ways.push_back({key, &way, {}, {}});
  std::ranges::sort(ways, {},
                    [](const known_way& one) { return std::pair(one.way->rank, one.way->number); });
  place_names names;
  for (known_way& one : ways) {
    for (const auto& [module, offset] : one.way->places) {
      if (const auto line = line_of(module, offset)) {
        one.lines.push_back(*line);
      } else {
        one.places.push_back(names.add(module, offset));
      }
    }
  }
  names.find_names();
  const auto places_of = [&](const known_way& one) {
    way_of_places places = one.lines;
    for (const std::size_t place : one.places) {
      places.insert(places.end(), names.of(place).begin(), names.of(place).end());
    }
    return places;
  };
  wrappers known;
  for (const known_way& one : ways) {
    if (one.way->communicates) known.add(places_of(one), one.way->count);
  }
  known.find_files();
  std::map<std::pair<int, std::vector<place_key>>, int> numbers;
  for (const known_way& one : ways) {
    way_of_places places = places_of(one);
    places.resize(known.count_in(places) + 1);
    std::vector<place_key> key;
    for (const code_place& place : places) key.push_back(key_of(place));
    const auto [found, is_new] =
        numbers.try_emplace({one.way->call, key}, static_cast<int>(sites_.size()));
    if (is_new) {
      site_result& made = sites_.emplace_back();
      static_cast<code_place&>(made) = places.front();
      made.call = one.way->call;
      made.callers.assign(places.begin() + 1, places.end());
    }
    numbers_[one.key] = found->second;
  }
}

void site_index::renumber(std::span<const int> numbers) noexcept {
  for (auto& [key, site] : numbers_) site = numbers[static_cast<std::size_t>(site)];
}

}  // namespace plait::attach
