// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include <plait/task/detail/box_tracker.hpp>

namespace plait::detail {
namespace {

[[nodiscard]] std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32U);
}

[[nodiscard]] std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace

/// The boxes of arrays with the same strides, where they can be found by their places.
///
/// An address is a number whose digits are: the byte within the smallest stride, how many of these
/// within the next, and so on; the last has no bound.  (Where strides do not divide one another, or
/// there are none, the address is its own only digit, and a box counts as its hull.)  A box extends
/// over a range of each digit, with a carry into the next: arrays need not begin where all digits
/// are 0, so that a row may begin at the end of one stride and end in the following.
///
/// Boxes of similar extents, the powers of two not below, are kept together, in tiles of these
/// extents: each in the tile of its first byte's digits.  So whatever overlaps a box has its first
/// byte in that box grown downwards by one tile, less one, along each digit: a few tiles for each
/// kind of extents.
class box_tracker::layout {
 public:
  explicit layout(const strided_bytes& like) {
    for (std::size_t k = 0; k < strides_.size(); ++k) strides_[k] = like.axes[k].stride;
    for (std::size_t k = strides_.size(); k > 0; --k) {
      const std::int64_t stride = strides_[k - 1];
      if (stride == 0) continue;
      if (stride % units_[digits_ - 1] != 0) {
        digits_ = 1;
        break;
      }
      units_[digits_++] = stride;
    }
  }

  [[nodiscard]] bool is_of(const strided_bytes& box) const noexcept {
    for (std::size_t k = 0; k < strides_.size(); ++k) {
      if (box.axes[k].stride != strides_[k]) return false;
    }
    return true;
  }

  void insert(entry& one) {
    const extents size = extents_of(one.box);
    std::array<unsigned, most_digits> bits{};
    for (std::size_t k = 0; k < digits_; ++k) {
      bits[k] = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(size[k]) - 1));
    }
    auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                             [&bits](const similar& s) { return s.bits == bits; });
    if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), {.bits = bits});
    const extents first = digits_of(static_cast<std::int64_t>(one.box.begin));
    std::uint64_t tile = 0;
    for (std::size_t k = 0; k < digits_; ++k) {
      tile = mixed(tile, static_cast<std::uint64_t>(first[k] >> bits[k]));
    }
    kind->tiles[tile].push_back(&one);
    kind->all.push_back(&one);
  }

  /// Calls `use(entry&)` for all entries whose hulls, or whose digits, overlap those of `box`; for
  /// some of them more than once, and for others too.
  template <class Use>
  void search(const strided_bytes& box, Use use) const {
    extents size = extents_of(box);
    if (!is_of(box)) {
      const byte_range hull = box.hull();
      size.fill(1);
      size[0] = static_cast<std::int64_t>(hull.end - hull.begin);
    }
    for (const similar& kind : kinds_) {
      auto begin = static_cast<std::int64_t>(box.begin);
      extents grown = size;
      double tiles = 1;
      for (std::size_t k = 0; k < digits_; ++k) {
        const std::int64_t tile = std::int64_t{1} << kind.bits[k];
        begin -= (tile - 1) * units_[k];
        grown[k] += tile - 1;
        tiles *= static_cast<double>(grown[k] >> kind.bits[k]) + 2;
      }
      if (tiles > static_cast<double>(kind.all.size())) {
        for (entry* one : kind.all) use(*one);
      } else {
        search_tiles({kind, digits_of(begin), grown}, 0, 0, 0, use);
      }
    }
  }

  void clear() { kinds_.clear(); }

 private:
  static constexpr std::size_t most_digits = 1 + strided_bytes::most_axes;
  using extents = std::array<std::int64_t, most_digits>;

  struct similar {
    std::array<unsigned, most_digits> bits{};                           ///< of the extents
    std::unordered_map<std::uint64_t, std::vector<entry*>> tiles = {};  ///< by a hash of the digits
    std::vector<entry*> all = {};
  };
  struct searched {
    const similar& kind;
    extents first;
    extents size;
  };

  [[nodiscard]] extents extents_of(const strided_bytes& box) const noexcept {
    extents size;
    size.fill(1);
    if (digits_ == 1) {
      const byte_range hull = box.hull();
      size[0] = static_cast<std::int64_t>(hull.end - hull.begin);
      return size;
    }
    size[0] = static_cast<std::int64_t>(box.row_bytes);
    for (std::size_t k = 1; k < digits_; ++k) size[k] = box.axes[digits_ - 1 - k].rows;
    return size;
  }

  [[nodiscard]] extents digits_of(std::int64_t address) const noexcept {
    extents result{};
    for (std::size_t k = digits_; k > 0; --k) {
      result[k - 1] = floor_div(address, units_[k - 1]);
      address -= result[k - 1] * units_[k - 1];
    }
    return result;
  }

  /// Digit k and those above it, with `carry` from those below, whose tiles are hashed already.
  template <class Use>
  void search_tiles(const searched& what, std::size_t k, std::int64_t carry, std::uint64_t hash,
                    Use& use) const {
    if (k == digits_) {
      const auto found = what.kind.tiles.find(hash);
      if (found == what.kind.tiles.end()) return;
      for (entry* one : found->second) use(*one);
      return;
    }
    const std::int64_t low = what.first[k] + carry;
    const std::int64_t high = low + what.size[k] - 1;
    const auto search_digits = [&](std::int64_t first, std::int64_t last, std::int64_t over) {
      for (std::int64_t t = first >> what.kind.bits[k]; t <= last >> what.kind.bits[k]; ++t) {
        search_tiles(what, k + 1, over, mixed(hash, static_cast<std::uint64_t>(t)), use);
      }
    };
    if (k + 1 == digits_) {
      search_digits(low, high, 0);
      return;
    }
    const std::int64_t base = units_[k + 1] / units_[k];
    for (std::int64_t over = floor_div(low, base); over <= floor_div(high, base); ++over) {
      search_digits(std::max(low - over * base, std::int64_t{0}),
                    std::min(high - over * base, base - 1), over);
    }
  }

  std::array<std::int64_t, strided_bytes::most_axes> strides_{};
  extents units_{1};  ///< what each digit counts, in bytes
  std::size_t digits_ = 1;
  std::vector<similar> kinds_;
};

std::size_t box_tracker::hash_of::operator()(const strided_bytes& box) const noexcept {
  std::uint64_t hash = mixed(box.begin, box.row_bytes);
  for (const auto& axis : box.axes) {
    if (axis.stride == 0) break;
    hash = mixed(hash, static_cast<std::uint64_t>(axis.rows));
  }
  return hash;
}

box_tracker::box_tracker() = default;
box_tracker::~box_tracker() = default;

// --- which memory ------------------------------------------------------------------------------

bool box_tracker::owns_some_of(byte_range bytes) const noexcept {
  const auto behind = regions_.lower_bound(bytes.end);
  return behind != regions_.begin() && std::prev(behind)->second.end > bytes.begin;
}

byte_range box_tracker::own(byte_range bytes) {
  auto behind = regions_.lower_bound(bytes.end);
  region joined;
  while (behind != regions_.begin() && std::prev(behind)->second.end > bytes.begin) {
    const auto overlapping = std::prev(behind);
    if (overlapping->first <= bytes.begin && overlapping->second.end >= bytes.end) {
      return {overlapping->first, overlapping->second.end};
    }
    bytes.begin = std::min(bytes.begin, overlapping->first);
    bytes.end = std::max(bytes.end, overlapping->second.end);
    for (layout* one : overlapping->second.layouts) {
      if (std::find(joined.layouts.begin(), joined.layouts.end(), one) == joined.layouts.end()) {
        joined.layouts.push_back(one);
      }
    }
    behind = regions_.erase(overlapping);
  }
  joined.end = bytes.end;
  regions_.emplace_hint(behind, bytes.begin, std::move(joined));
  return bytes;
}

/// Ranges that were disjoint before they came here: no two share a byte.
void box_tracker::take(byte_range bytes, access_history&& known) {
  insert(strided_bytes::of(bytes), true).history = std::move(known);
}

// --- entries -----------------------------------------------------------------------------------

int box_tracker::add(task_node& task, const strided_bytes& box, access_mode mode,
                     const void* operation) {
  const auto known = entries_.find(box);
  entry& own = known != entries_.end() ? known->second : insert(box, false);
  int edges = 0;
  switch (mode) {
    case access_mode::out:
    case access_mode::inout:
      for (const link& other : own.neighbours) {
        access_history& history = other.to->history;
        if (history.empty()) continue;
        edges += history.follow_all(task);
        if (other.covers) history = {};
      }
      return edges + own.history.write(task);
    case access_mode::reduce:
      // Tasks combine into the same elements under one mutex: only the very same range is shared.
      for (const link& other : own.neighbours) edges += other.to->history.follow_all(task);
      return edges + own.history.share(task, {mode, operation});
    case access_mode::commutative:
      for (const link& other : own.neighbours) other.to->history.exclude_others(task);
      [[fallthrough]];
    case access_mode::in:
      for (const link& other : own.neighbours) edges += other.to->history.follow(task, {mode});
      return edges + own.history.share(task, {mode});
  }
  return edges;
}

box_tracker::entry& box_tracker::insert(const strided_bytes& box, bool alone) {
  entry& made = entries_.emplace(box, entry{box}).first->second;
  if (!alone) find_neighbours(made);
  register_in_region(made, layout_of(box));
  return made;
}

void box_tracker::find_neighbours(entry& of) {
  const region& in = std::prev(regions_.upper_bound(of.box.begin))->second;
  const byte_range hull = of.box.hull();
  ++looks_;
  for (const layout* one : in.layouts) {
    one->search(of.box, [&](entry& other) {
      if (std::exchange(other.looked_at, looks_) == looks_) return;
      const byte_range there = other.box.hull();
      if (there.begin >= hull.end || hull.begin >= there.end) return;
      if (!share_a_byte(of.box, other.box)) return;
      of.neighbours.push_back({&other, covers(of.box, other.box)});
      other.neighbours.push_back({&of, covers(other.box, of.box)});
    });
  }
}

box_tracker::layout& box_tracker::layout_of(const strided_bytes& box) {
  for (const auto& one : layouts_) {
    if (one->is_of(box)) return *one;
  }
  return *layouts_.emplace_back(std::make_unique<layout>(box));
}

void box_tracker::register_in_region(entry& one, layout& in) {
  in.insert(one);
  auto& layouts = std::prev(regions_.upper_bound(one.box.begin))->second.layouts;
  if (std::find(layouts.begin(), layouts.end(), &in) == layouts.end()) layouts.push_back(&in);
}

void box_tracker::sweep_if_due() {
  if (entries_.size() < sweep_at_) return;
  for (auto& [box, one] : entries_) one.swept = one.history.forget_finished();
  for (auto& [box, one] : entries_) {
    if (!one.swept) std::erase_if(one.neighbours, [](const link& l) { return l.to->swept; });
  }
  std::erase_if(entries_, [](const auto& each) { return each.second.swept; });
  regions_.clear();
  layouts_.clear();
  for (auto& [box, one] : entries_) {
    own(box.hull());
    register_in_region(one, layout_of(box));
  }
  sweep_at_ = std::max(smallest_sweep, 2 * entries_.size());
}

}  // namespace plait::detail
