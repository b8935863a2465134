// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include <plait/task/detail/box_tracker.hpp>

namespace plait::detail {
namespace {

[[nodiscard]] std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32U);
}

void add_once(auto& list, auto* one) {
  if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
}

[[nodiscard]] std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace

/// The boxes of arrays with the same strides, where they can be found by their places.
///
/// An address is a number of several digits: how often the largest stride goes into it, how often
/// the next into what is left, and so on; the last is the byte within the smallest.  Strides need
/// not divide one another (planes are padded): then the last value of a digit is a short one.
///
/// Boxes of similar extents are kept together, in tiles of about these: each in the tile of its
/// first byte's digits.  Whatever overlaps a box has its first byte in that box grown downwards by
/// the largest of these extents, less one, along each axis: a few tiles for each kind.  Arrays need
/// not begin where all digits are 0, so that the digits of a box may carry: see `search_tiles`.
class box_tracker::layout {
 public:
  explicit layout(const strided_bytes& like) {
    for (std::size_t k = 0; k < strides_.size(); ++k) strides_[k] = like.axes[k].stride;
    for (std::size_t k = strides_.size(); k > 0; --k) {
      if (strides_[k - 1] != 0) units_[digits_++] = strides_[k - 1];
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
    for (std::size_t k = 0; k < digits_; ++k) bits[k] = bits_of(size[k]);
    auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                             [&bits](const similar& s) { return s.bits == bits; });
    if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), {.bits = bits});
    auto rest = static_cast<std::int64_t>(one.box.begin);
    std::uint64_t tile = 0;
    for (std::size_t k = digits_; k-- > 0;) {
      kind->largest[k] = std::max(kind->largest[k], size[k]);
      const std::int64_t digit = floor_div(rest, units_[k]);
      rest -= digit * units_[k];
      tile = mixed(tile, static_cast<std::uint64_t>(digit >> bits[k]));
    }
    kind->tiles[tile].push_back(&one);
    kind->all.push_back(&one);
  }

  /// Calls `use(entry&)` for all entries whose extents overlap those of `box`, or its hull if that
  /// has other strides; for some of them more than once, and for others too.
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
      searched what{.kind = kind, .size = size};
      std::int64_t reach = 0;
      for (std::size_t k = 0; k < digits_; ++k) {
        begin -= (kind.largest[k] - 1) * units_[k];
        what.size[k] += kind.largest[k] - 1;
        what.reach[k] = reach;
        reach += (what.size[k] - 1) * units_[k];
      }
      if (most_tiles(what) > static_cast<double>(kind.all.size())) {
        for (entry* one : kind.all) use(*one);
      } else {
        search_tiles(what, digits_, begin, 0, use);
      }
    }
  }

 private:
  static constexpr std::size_t most_digits = 1 + strided_bytes::most_axes;
  using extents = std::array<std::int64_t, most_digits>;

  struct similar {
    std::array<unsigned, most_digits> bits{};                           ///< of a tile's extents
    extents largest{};                                                  ///< of the boxes
    std::unordered_map<std::uint64_t, std::vector<entry*>> tiles = {};  ///< by a hash of the digits
    std::vector<entry*> all = {};
  };
  /// The addresses begin + sum of c_k * units_[k] for 0 <= c_k < size[k].
  struct searched {
    const similar& kind;
    extents size;
    extents reach = {};  ///< the largest sum of the terms below the k-th
  };

  /// The power of two next to it: what is as large as the boxes themselves is in two to four tiles
  /// along each axis, and of blocks side by side a tile has about one.
  [[nodiscard]] static unsigned bits_of(std::int64_t extent) noexcept {
    const auto above =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(extent) - 1));
    return above >= 2 && extent <= std::int64_t{3} << (above - 2) ? above - 1 : above;
  }

  [[nodiscard]] extents extents_of(const strided_bytes& box) const noexcept {
    extents size;
    size.fill(1);
    size[0] = static_cast<std::int64_t>(box.row_bytes);
    for (std::size_t k = 1; k < digits_; ++k) size[k] = box.axes[digits_ - 1 - k].rows;
    return size;
  }

  /// The largest value of a digit, unless it is the first.
  [[nodiscard]] std::int64_t last_digit(std::size_t k) const noexcept {
    return (units_[k + 1] - 1) / units_[k];
  }

  /// About as many as `search_tiles` looks up, rather more.
  [[nodiscard]] double most_tiles(const searched& what) const noexcept {
    double tiles = 1;
    for (std::size_t k = 0; k < digits_; ++k) {
      std::int64_t values = what.size[k];
      std::int64_t carries = what.reach[k] / units_[k];
      if (k + 1 < digits_) {
        carries = std::min(carries, values + last_digit(k));
        values = std::min(values, last_digit(k) + 1);
      }
      const std::int64_t tile = std::int64_t{1} << what.kind.bits[k];
      tiles *= static_cast<double>((((values - 2 + tile) >> what.kind.bits[k]) + 1)) *
               static_cast<double>(carries + 1);
    }
    return tiles;
  }

  /// The lowest `digits` digits of those addresses that have the digits above which are hashed
  /// already; `begin` is what these leave of the first address, which is negative after a carry.
  ///
  /// The terms below digit k sum up to at most reach[k], and carry at most that into it.  With a
  /// carry of c, digit k is one of [low + c, low + c + size[k]), and the digits below it are those
  /// of an address that is c units less; those that would be below 0, or above the last value of
  /// a digit, have another carry above.
  template <class Use>
  void search_tiles(const searched& what, std::size_t digits, std::int64_t begin,
                    std::uint64_t hash, Use& use) const {
    if (digits == 0) {
      const auto found = what.kind.tiles.find(hash);
      if (found == what.kind.tiles.end()) return;
      for (entry* one : found->second) use(*one);
      return;
    }
    const std::size_t k = digits - 1;
    const std::int64_t low = floor_div(begin, units_[k]);
    const std::int64_t rest = begin - low * units_[k];
    const bool first = digits == digits_;
    const std::int64_t least = first ? low : 0;
    const std::int64_t most = first ? std::numeric_limits<std::int64_t>::max() / 2 : last_digit(k);
    const std::int64_t last_carry = std::min((rest + what.reach[k]) / units_[k], most - low);
    for (std::int64_t carry = std::max(std::int64_t{0}, least - low - what.size[k] + 1);
         carry <= last_carry; ++carry) {
      const std::int64_t from = std::max(low + carry, least);
      const std::int64_t to = std::min(low + carry + what.size[k] - 1, most);
      for (std::int64_t t = from >> what.kind.bits[k]; t <= to >> what.kind.bits[k]; ++t) {
        search_tiles(what, k, rest - carry * units_[k], mixed(hash, static_cast<std::uint64_t>(t)),
                     use);
      }
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
    for (layout* one : overlapping->second.layouts) add_once(joined.layouts, one);
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

void box_tracker::add(task_node& task, const strided_bytes& box, access_mode mode,
                      const void* operation) {
  const auto known = entries_.find(box);
  entry& own = known != entries_.end() ? known->second : insert(box, false);
  switch (mode) {
    case access_mode::out:
    case access_mode::inout:
      for (const link& other : own.neighbours) {
        access_history& history = other.to->history;
        if (history.empty()) continue;
        history.follow_all(task);
        if (other.covers) history = {};
      }
      return own.history.write(task);
    case access_mode::reduce:
      // Tasks combine into the same elements under one mutex: only the very same range is shared.
      for (const link& other : own.neighbours) other.to->history.follow_all(task);
      return own.history.share(task, {mode, operation});
    case access_mode::commutative:
      for (const link& other : own.neighbours) other.to->history.exclude_others(task);
      [[fallthrough]];
    case access_mode::in:
      for (const link& other : own.neighbours) other.to->history.follow(task, {mode});
      return own.history.share(task, {mode});
  }
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
      ++candidates_;
      if (std::exchange(other.looked_at, looks_) == looks_) return;
      const byte_range there = other.box.hull();
      if (there.begin >= hull.end || hull.begin >= there.end) return;
      if (!share_a_byte(of.box, other.box)) return;
      of.neighbours.push_back({&other, covers(of.box, other.box)});
      other.neighbours.push_back({&of, covers(other.box, of.box)});
      links_ += 2;
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
  add_once(std::prev(regions_.upper_bound(one.box.begin))->second.layouts, &in);
}

void box_tracker::sweep_if_due() {
  if (entries_.size() < sweep_at_ && links_ < sweep_at_links_) return;
  for (auto& [box, one] : entries_) one.swept = one.history.forget_finished();
  std::size_t left = 0;
  for (auto& [box, one] : entries_) {
    if (one.swept) continue;
    std::erase_if(one.neighbours, [](const link& l) { return l.to->swept; });
    one.neighbours.shrink_to_fit();
    left += one.neighbours.size();
  }
  links_ = left;
  std::erase_if(entries_, [](const auto& each) { return each.second.swept; });
  regions_.clear();
  layouts_.clear();
  for (auto& [box, one] : entries_) {
    own(box.hull());
    register_in_region(one, layout_of(box));
  }
  sweep_at_ = std::max(smallest_sweep, 2 * entries_.size());
  sweep_at_links_ = std::max(smallest_sweep_of_links, 2 * links_);
}

}  // namespace plait::detail
