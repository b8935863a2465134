// SPDX-License-Identifier: BSD-3-Clause
// The access_checker's messages about its findings.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "task/checked/access_checker.hpp"

namespace plait::detail {
namespace {

[[nodiscard]] const char* word(access_mode mode) {
  switch (mode) {
    case access_mode::in:
      return "in";
    case access_mode::out:
      return "out";
    case access_mode::inout:
      return "inout";
    case access_mode::commutative:
      return "commutative";
    case access_mode::reduce:
      return "reduce";
  }
  return "";
}

[[nodiscard]] const char* word(node_kind kind) {
  return kind == node_kind::asynchronous ? "message" : "task";
}

[[nodiscard]] std::string bytes_text(std::uintptr_t first, std::uintptr_t end, bool all_of_them) {
  const std::string begin = std::to_string(first);
  if (end - first == 1) return "byte " + begin;
  return (all_of_them ? "bytes " : "some of bytes ") + begin + " to " + std::to_string(end - 1);
}

/// Bytes [first, end) of memory, counted from its beginning; of a box, from that of their row.
[[nodiscard]] std::string bytes_text(const strided_bytes& of, std::uintptr_t first,
                                     std::uintptr_t end, bool all_of_them) {
  if (of.is_range()) return bytes_text(first - of.begin, end - of.begin, all_of_them);
  const place_in_box begins = place_of(of, first);
  const place_in_box ends = place_of(of, end - 1);
  if (begins.row == ends.row) {
    return bytes_text(begins.byte, ends.byte + 1, all_of_them) + " of row " + begins.row;
  }
  return "some of rows " + begins.row + " to " + ends.row;
}

[[nodiscard]] std::string shape_text(const strided_bytes& memory) {
  return memory.is_range() ? "" : ", " + to_string(memory);
}

}  // namespace

/// Returns the access that the byte is reported as: that of the task before this one that wrote it
/// last, if there is one.
const std::pair<const access_checker::name_key, access_checker::name_ids>* access_checker::namer(
    const task_node& node, std::uintptr_t byte) const {
  const std::uint64_t self = node.id.load(std::memory_order_relaxed);
  const std::pair<const name_key, name_ids>* best = nullptr;
  std::tuple<bool, bool, std::uint64_t> best_rank;
  for (const auto& entry : names_) {
    const auto& [memory, name, place, mode, kind] = entry.first;
    if (memory.begin > byte) break;
    if (!contains(memory, byte)) continue;
    const bool before = entry.second.first < self;
    const std::uint64_t id = before ? std::min(entry.second.last, self) : ~entry.second.first;
    const std::tuple<bool, bool, std::uint64_t> rank{before, writes(mode), id};
    if (best == nullptr || rank > best_rank) {
      best = &entry;
      best_rank = rank;
    }
  }
  return best;
}

std::string access_checker::describe(const body& ran) const {
  const task_node& node = *ran.node;
  range_list by_kind[2];
  for (const touched_bytes& each : ran.touched) {
    by_kind[each.write ? 1 : 0].push_back({each.begin, each.end});
  }
  /// Cut where another access is named, then joined again by access.
  struct finding {
    const std::pair<const name_key, name_ids>* named = nullptr;
    const declared_access* own = nullptr;  ///< declared `in`, and written
    std::uintptr_t begin[2] = {0, 0};
    std::uintptr_t end[2] = {0, 0};
    std::uintptr_t count[2] = {0, 0};
  };
  std::vector<finding> findings;
  std::vector<std::uintptr_t> cuts;
  byte_range all{UINTPTR_MAX, 0};
  for (const touched_bytes& each : ran.touched) {
    all = {std::min(all.begin, each.begin), std::max(all.end, each.end)};
  }
  const auto cut_around = [&](byte_range row) {
    if (row.begin >= all.end || row.end <= all.begin) return;
    cuts.push_back(row.begin);
    cuts.push_back(row.end);
  };
  for (const auto& entry : names_) for_each_row(std::get<0>(entry.first), cut_around);
  std::sort(cuts.begin(), cuts.end());
  const std::vector<declared_access>& accesses = declared_.at(&node);
  for (int kind = 0; kind < 2; ++kind) {
    for (const byte_range& range : joined(by_kind[kind])) {
      for (std::uintptr_t at = range.begin; at < range.end;) {
        const auto cut = std::upper_bound(cuts.begin(), cuts.end(), at);
        const std::uintptr_t end = cut == cuts.end() ? range.end : std::min(*cut, range.end);
        const auto own =
            std::find_if(accesses.begin(), accesses.end(),
                         [&](const declared_access& a) { return contains(a.memory, at); });
        const declared_access* const mine = own == accesses.end() ? nullptr : &*own;
        const auto* const named = mine != nullptr ? nullptr : namer(node, at);
        auto known = std::find_if(findings.begin(), findings.end(), [&](const finding& f) {
          return f.named == named && f.own == mine;
        });
        if (known == findings.end()) {
          findings.push_back({.named = named, .own = mine});
          known = std::prev(findings.end());
        }
        if (known->count[kind] == 0) known->begin[kind] = at;
        known->end[kind] = end;
        known->count[kind] += end - at;
        at = end;
      }
    }
  }

  std::string text = "task " + quoted(node.name);
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (i == most) {
      text += "; and touches " + std::to_string(findings.size() - most) + " more";
      break;
    }
    if (i > 0) text += "; it";
    const finding& f = findings[i];
    const strided_bytes of = f.own != nullptr     ? f.own->memory
                             : f.named != nullptr ? std::get<0>(f.named->first)
                                                  : strided_bytes{};
    const auto what = [&](int kind) {
      return bytes_text(of, f.begin[kind], f.end[kind],
                        f.count[kind] == f.end[kind] - f.begin[kind]);
    };
    const bool same = f.begin[0] == f.begin[1] && f.end[0] == f.end[1] && f.count[0] == f.count[1];
    if (same) {
      text += " reads and writes " + what(0);
    } else if (f.count[0] > 0 && f.count[1] > 0) {
      text += " reads " + what(0) + " and writes " + what(1);
    } else {
      text += f.count[0] > 0 ? " reads " + what(0) : " writes " + what(1);
    }
    if (f.own != nullptr) {
      text += " of its access " + std::to_string(f.own->place) + ", which it declares " +
              word(f.own->mode) + shape_text(of);
    } else if (f.named != nullptr) {
      const auto& [memory, name, place, mode, kind] = f.named->first;
      text += std::string(" of what ") + word(kind) + " " + quoted(name);
      text += kind == node_kind::asynchronous ? std::string(" names (") + word(mode) + ")"
                                              : " names as its access " + std::to_string(place) +
                                                    " (" + word(mode) + shape_text(memory) + ")";
      text += ", without an access to it";
    } else {
      text += " of data that it does not declare";
    }
  }
  return text;
}

}  // namespace plait::detail
