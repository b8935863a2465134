// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/mover/index_lists.hpp>

namespace plait {
namespace {

/// Finds the owners of indices; neighbours in a list mostly have the same one.
class owner_finder {
 public:
  explicit owner_finder(const decomposition<1>& blocks) : blocks_(blocks) {
    for (std::size_t id = 0; id < blocks.blocks().size(); ++id)
      order_.push_back(static_cast<int>(id));
    std::ranges::sort(order_, {}, [&](int id) { return blocks.block(id).low[axis::x]; });
  }
  [[nodiscard]] int block_of(const point<1>& cell) {
    if (!blocks_.block(last_).contains(cell)) {
      const auto above = std::ranges::upper_bound(
          order_, cell[axis::x], {}, [&](int id) { return blocks_.block(id).low[axis::x]; });
      last_ = *(above - 1);
    }
    return last_;
  }

 private:
  const decomposition<1>& blocks_;
  std::vector<int> order_;
  int last_ = 0;
};

[[nodiscard]] std::string name_of_index(std::int64_t index, std::size_t place, int rank) {
  return "index " + std::to_string(index) + ", number " + std::to_string(place) +
         " of the list of rank " + std::to_string(rank);
}

/// A rank whose list is wrong sends this to all instead, so that all throw the same.
constexpr std::int64_t wrong = -1;

void expect_no_complaint(const std::vector<std::vector<std::int64_t>>& got, const box<1>& domain) {
  for (std::size_t rank = 0; rank < got.size(); ++rank) {
    if (got[rank].empty() || got[rank].front() != wrong) continue;
    throw usage_error("index lists: " +
                      name_of_index(got[rank][1], static_cast<std::size_t>(got[rank][2]),
                                    static_cast<int>(rank)) +
                      ", is not in the array; its indices are 0 to " +
                      std::to_string(domain.high[axis::x] - 1));
  }
}

}  // namespace

struct index_lists::parts {
  decomposition<1> owners;
  int rank = 0;
  std::vector<point<1>> needed = {};
  std::vector<fetched> from_peers = {};
  std::vector<wanted> by_peers = {};
};

index_lists::index_lists(environment& env, decomposition<1> owners,
                         std::span<const point<1>> needed) {
  if (owners.ranks() > env.size())
    throw usage_error("index lists: blocks of rank " + std::to_string(owners.ranks() - 1) +
                      " in a job of " + std::to_string(env.size()) +
                      (env.size() == 1 ? " rank" : " ranks"));
  const auto made = std::make_shared<parts>(parts{std::move(owners), env.rank()});
  made->needed.assign(needed.begin(), needed.end());
  const auto ranks = static_cast<std::size_t>(env.size());
  std::vector<std::vector<std::int64_t>> asked(ranks);
  std::vector<std::vector<std::size_t>> places(ranks);
  owner_finder owner(made->owners);
  const box<1>& domain = made->owners.global();
  for (std::size_t k = 0; k < needed.size(); ++k) {
    if (!domain.contains(needed[k])) {
      const std::vector<std::int64_t> complaint{wrong, needed[k][axis::x],
                                                static_cast<std::int64_t>(k)};
      asked.assign(ranks, complaint);
      break;
    }
    const auto peer = static_cast<std::size_t>(made->owners.rank_of(owner.block_of(needed[k])));
    asked[peer].push_back(needed[k][axis::x]);
    places[peer].push_back(k);
  }
  const std::vector<std::vector<std::int64_t>> got = env.exchange(asked);
  expect_no_complaint(got, domain);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    if (!places[peer].empty())
      made->from_peers.push_back({static_cast<int>(peer), std::move(places[peer])});
    if (got[peer].empty() || peer == static_cast<std::size_t>(env.rank())) continue;
    wanted& there = made->by_peers.emplace_back();
    there.peer = static_cast<int>(peer);
    for (const std::int64_t index : got[peer]) there.cells.push_back(point<1>(index));
  }
  parts_ = made;
}

const decomposition<1>& index_lists::owners() const noexcept {
  return parts_->owners;
}
int index_lists::rank() const noexcept {
  return parts_->rank;
}
std::span<const point<1>> index_lists::needed() const noexcept {
  return parts_->needed;
}
std::span<const index_lists::fetched> index_lists::from_peers() const noexcept {
  return parts_->from_peers;
}
std::span<const index_lists::wanted> index_lists::by_peers() const noexcept {
  return parts_->by_peers;
}

void index_lists::expect_same(std::span<const point<1>> list) const {
  const auto [made, now] = std::ranges::mismatch(parts_->needed, list);
  const auto place = static_cast<std::size_t>(made - parts_->needed.begin());
  if (made != parts_->needed.end() && now != list.end())
    throw usage_error("index lists: " + name_of_index((*now)[axis::x], place, parts_->rank) +
                      ", was " + std::to_string((*made)[axis::x]) + " when the lists were made");
  if (list.size() != parts_->needed.size())
    throw usage_error("index lists: the list of rank " + std::to_string(parts_->rank) + " has " +
                      std::to_string(list.size()) + " indices; it had " +
                      std::to_string(parts_->needed.size()) + " when the lists were made");
}

namespace detail {
namespace {

using addresses = std::vector<std::byte*>;

/// Addresses of the elements that one rank holds in its blocks and in the values of its list.
class element_places {
 public:
  element_places(const array_in_memory<1>& array, const index_lists& lists,
                 std::span<std::byte> values, std::size_t element_bytes, const std::string& name)
      : array_(array),
        owner_(lists.owners()),
        lists_(lists),
        values_(values),
        element_bytes_(element_bytes) {
    if (!std::ranges::equal(array.blocks.blocks(), lists.owners().blocks()) ||
        array.rank != lists.rank() ||
        !std::ranges::equal(array.blocks.blocks_of(array.rank),
                            lists.owners().blocks_of(array.rank)))
      throw usage_error(name + ": the array has other blocks than the owners of the index lists");
    if (values.size() != lists.needed().size() * element_bytes)
      throw usage_error(name + ": " + std::to_string(values.size() / element_bytes) +
                        " elements for the " + std::to_string(lists.needed().size()) +
                        " indices that rank " + std::to_string(lists.rank()) + " has listed");
  }

  [[nodiscard]] std::byte* of_cell(const point<1>& cell) {
    const int id = owner_.block_of(cell);
    const auto block = std::ranges::lower_bound(array_.local, id, {}, &block_in_memory<1>::id);
    return block->low + (cell - block->cells.low)[axis::x] * block->strides[0];
  }
  [[nodiscard]] std::byte* of_place(std::size_t place) const {
    return values_.data() + place * element_bytes_;
  }
  [[nodiscard]] addresses of_cells(std::span<const point<1>> cells) {
    addresses result;
    for (const point<1>& cell : cells) result.push_back(of_cell(cell));
    return result;
  }
  [[nodiscard]] addresses of_own_cells(std::span<const std::size_t> places) {
    addresses result;
    for (const std::size_t place : places) result.push_back(of_cell(lists_.needed()[place]));
    return result;
  }
  [[nodiscard]] addresses of_places(std::span<const std::size_t> places) const {
    addresses result;
    for (const std::size_t place : places) result.push_back(of_place(place));
    return result;
  }

  /// The runs of elements that lie side by side; of too many, what lies between them too, within a
  /// block.  Returns whether that was so.
  [[nodiscard]] bool cover(addresses cells, std::vector<patch>& runs) const {
    std::ranges::sort(cells);
    const auto repeated = std::ranges::unique(cells);
    cells.erase(repeated.begin(), repeated.end());
    const auto joined = [&](const auto& belong_together) {
      std::vector<patch> result;
      for (std::byte* const cell : cells) {
        if (result.empty() || !belong_together(result.back(), cell)) {
          result.push_back({.first = cell, .run_bytes = element_bytes_});
        } else {
          result.back().run_bytes =
              static_cast<std::size_t>(cell - result.back().first) + element_bytes_;
        }
      }
      return result;
    };
    runs = joined(
        [](const patch& run, const std::byte* cell) { return run.first + run.run_bytes == cell; });
    if (runs.size() <= most_runs) return false;
    std::vector<std::byte*> ends;  // of the blocks, and of the values
    for (const block_in_memory<1>& block : array_.local)
      ends.push_back(block.low + block.cells.size() * block.strides[0]);
    ends.push_back(values_.data() + values_.size());
    std::ranges::sort(ends);
    const auto end_after = [&](const std::byte* cell) {
      return *std::ranges::upper_bound(ends, cell, std::less<>());
    };
    runs = joined([&](const patch& run, const std::byte* cell) {
      return end_after(run.first) == end_after(cell);
    });
    return true;
  }

 private:
  static constexpr std::size_t most_runs = 256;

  const array_in_memory<1>& array_;
  owner_finder owner_;
  const index_lists& lists_;
  std::span<std::byte> values_;
  std::size_t element_bytes_;
};

/// Elements that go from `from` to `to`; one side may be a message.
[[nodiscard]] element_list elements(const element_places& places, const addresses& to,
                                    const addresses& from, const element_actions& actions,
                                    bool adds) {
  element_list result{.to = to, .from = {from.begin(), from.end()}};
  result.element_bytes = actions.bytes;
  result.run = adds ? actions.add : actions.copy;
  (void)places.cover(from, result.read);
  std::vector<patch> changed;
  const bool in_part = places.cover(to, changed);
  (in_part || adds ? result.updated : result.written) = std::move(changed);
  return result;
}

}  // namespace

move_plan gather_elements(const array_in_memory<1>& array, const index_lists& lists,
                          std::span<std::byte> values, const element_actions& actions,
                          const move_options& options) {
  element_places places(array, lists, values, actions.bytes, options.name);
  move_builder builder;
  for (const auto& [peer, needed] : lists.from_peers()) {
    if (peer == lists.rank()) {
      builder.copy(
          elements(places, places.of_places(needed), places.of_own_cells(needed), actions, false));
    } else {
      builder.receive(peer, elements(places, places.of_places(needed), {}, actions, false));
    }
  }
  for (const auto& [peer, cells] : lists.by_peers())
    builder.send(peer, elements(places, {}, places.of_cells(cells), actions, false));
  return builder.finish(options);
}

move_plan scatter_elements(std::span<std::byte> values, const index_lists& lists,
                           const array_in_memory<1>& array, const element_actions& actions,
                           const move_options& options) {
  element_places places(array, lists, values, actions.bytes, options.name);
  move_builder builder;
  builder.add_what_arrives();
  for (const auto& [peer, given] : lists.from_peers()) {
    if (peer == lists.rank()) {
      builder.copy(
          elements(places, places.of_own_cells(given), places.of_places(given), actions, true));
    } else {
      builder.send(peer, elements(places, {}, places.of_places(given), actions, false));
    }
  }
  for (const auto& [peer, cells] : lists.by_peers())
    builder.receive(peer, elements(places, places.of_cells(cells), {}, actions, true));
  return builder.finish(options);
}

}  // namespace detail
}  // namespace plait
