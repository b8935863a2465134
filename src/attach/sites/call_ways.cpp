// SPDX-License-Identifier: BSD-3-Clause
#include "attach/sites/call_ways.hpp"

#include <algorithm>
#include <tuple>

#include "attach/after/packed.hpp"

namespace plait::attach {
namespace {

constexpr std::size_t most_ways_of_all = 1 << 14;

struct packed_way {
  std::uint64_t key = 0;
  std::uint64_t count = 0;
  std::int32_t call = 0;
  std::int32_t rank = 0;
  std::int32_t number = 0;
  std::int32_t communicates = 0;
  std::uint64_t places = 0;
};
struct packed_place {
  std::uint64_t offset = 0;
  std::uint64_t module = 0;  ///< in the list of modules
};

[[nodiscard]] std::uint64_t hash_of(const std::string& text) noexcept {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

/// Adds lines of Python, without those by which modules are imported.
void add_lines(call_way& way, const rank_profile& in, const site_data& site) {
  for (int i = 0; i < std::min(site.callers, most_callers); ++i) {
    if (site.caller[i].base != frame_base::python) break;
    const python_place& place = in.lines.at(site.caller[i].address);
    if (is_of_import(place)) continue;
    way.places.emplace_back(std::string(place.file) + end_of_python_file + place.function,
                            static_cast<std::uint64_t>(place.line));
  }
}

[[nodiscard]] call_way way_of(const rank_profile& in, int number, const site_data& site) {
  call_way way{site.call, in.header.rank, number, site.waited > 0 || site.bytes > 0, 0, {}};
  if (way.communicates) way.count = site.count;
  add_lines(way, in, site);
  if (!way.places.empty()) return way;
  const auto path = [&](int module) {
    return module < 0 ? std::string{} : std::string(in.header.module[module].path);
  };
  way.places.emplace_back(path(site.module), site.offset);
  for (int i = 0; i < std::min(site.callers, most_callers); ++i) {
    const caller_data& caller = site.caller[i];
    if (caller.module < 0) break;
    way.places.emplace_back(path(caller.module),
                            caller.address - in.header.module[caller.module].base);
  }
  return way;
}

[[nodiscard]] std::uint64_t key_of(const call_way& way) noexcept {
  std::uint64_t key = static_cast<std::uint64_t>(way.call);
  for (const auto& [module, offset] : way.places) key = mix(mix(key, hash_of(module)), offset);
  return key;
}

void add(call_ways& to, std::uint64_t key, const call_way& way) {
  const auto [at, is_new] = to.try_emplace(key, way);
  if (is_new) return;
  call_way& known = at->second;
  known.communicates = known.communicates || way.communicates;
  known.count += way.count;
  std::tie(known.rank, known.number) =
      std::min(std::pair(known.rank, known.number), std::pair(way.rank, way.number));
}

void leave_out_last(call_ways& of) {
  if (of.size() <= most_ways_of_all) return;
  std::vector<std::tuple<int, int, std::uint64_t>> order;
  for (const auto& [key, way] : of) order.emplace_back(way.rank, way.number, key);
  std::ranges::nth_element(order, order.begin() + most_ways_of_all);
  for (std::size_t i = most_ways_of_all; i < order.size(); ++i) of.erase(std::get<2>(order[i]));
}

}  // namespace

void add_ways(call_ways& to, const rank_profile& of) {
  for (const auto& [number, site] : of.sites) {
    const call_way way = way_of(of, number, site);
    add(to, key_of(way), way);
  }
}

void add_ways(call_ways& to, const call_ways& others) {
  for (const auto& [key, way] : others) add(to, key, way);
  leave_out_last(to);
}

/// Each module's path once.
std::vector<std::byte> pack_ways(const call_ways& ways) {
  std::map<std::string, std::uint64_t> modules;
  std::vector<packed_way> heads;
  std::vector<packed_place> places;
  std::string paths;
  for (const auto& [key, way] : ways) {
    heads.push_back({key, way.count, way.call, way.rank, way.number, way.communicates ? 1 : 0,
                     way.places.size()});
    for (const auto& [module, offset] : way.places) {
      const auto [at, is_new] = modules.try_emplace(module, modules.size());
      if (is_new) paths += module + '\0';
      places.push_back({offset, at->second});
    }
  }
  std::vector<std::byte> bytes;
  append(bytes, std::span<const char>(paths));
  append(bytes, heads);
  append(bytes, places);
  return bytes;
}

call_ways unpack_ways(std::span<const std::byte> packed) {
  std::vector<std::string> modules;
  const std::vector<char> paths = take<char>(packed);
  for (auto at = paths.begin(); at != paths.end();) {
    const auto end = std::find(at, paths.end(), '\0');
    modules.emplace_back(at, end);
    at = end + 1;
  }
  call_ways ways;
  const auto heads = take<packed_way>(packed);
  const auto places = take<packed_place>(packed);
  auto next = places.begin();
  for (const packed_way& head : heads) {
    call_way& way = ways[head.key];
    way = {head.call, head.rank, head.number, head.communicates != 0, head.count, {}};
    for (std::uint64_t i = 0; i < head.places; ++i, ++next) {
      way.places.emplace_back(modules.at(next->module), next->offset);
    }
  }
  return ways;
}

site_numbers::site_numbers(const rank_profile& of, const std::map<std::uint64_t, int>& numbers) {
  for (const auto& [number, site] : of.sites) {
    const auto found = numbers.find(key_of(way_of(of, number, site)));
    if (found != numbers.end()) numbers_[number] = found->second;
  }
}

}  // namespace plait::attach
