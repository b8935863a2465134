// SPDX-License-Identifier: BSD-3-Clause
#include "c/divided_array.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>

namespace plait::c {
namespace {

void expect_domain(const plait_array& a, const std::string& where) {
  constexpr std::int64_t most = std::int64_t{1} << 40;  // so that sums of such numbers fit
  if (a.axes < 1 || a.axes > PLAIT_AXES)
    throw usage_error(where + std::to_string(a.axes) + " axes; 1 to 4 are possible");
  if (a.element_bytes == 0 || a.element_bytes > (std::size_t{1} << 30))
    throw usage_error(where + "elements of " + std::to_string(a.element_bytes) + " bytes");
  double bytes = static_cast<double>(a.element_bytes);
  for (std::size_t k = 0; k < static_cast<std::size_t>(a.axes); ++k) {
    if (a.cells[k] < 1 || a.cells[k] > most)
      throw usage_error(where + std::to_string(a.cells[k]) + " cells" + along(k));
    if (a.ghosts[k] < 0 || a.ghosts[k] > most)
      throw usage_error(where + std::to_string(a.ghosts[k]) + " layers of ghosts" + along(k));
    bytes *= static_cast<double>(a.cells[k]);
  }
  if (bytes > 0x1p62) throw usage_error(where + "more cells than can be counted");
}

/// Axes by their strides, those that nothing is known of last.
[[nodiscard]] axis_order order_of(const divided_array& a, const plait_array_block& block) {
  axis_order order(a.axes());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) {
    const bool known = a.width(block, k) > 1;
    return std::pair(!known, std::abs(static_cast<double>(block.stride[k])));
  });
  return order;
}

/// A cell's bytes are no other's: along each axis the next cell lies behind all that faster axes
/// reach.
void expect_apart(const divided_array& a, const plait_array_block& block,
                  const std::string& where) {
  auto reached = static_cast<double>(a.own.element_bytes);
  for (const std::size_t k : order_of(a, block)) {
    if (a.width(block, k) == 1) continue;
    const double stride = std::abs(static_cast<double>(block.stride[k]));
    if (stride < reached) {
      throw usage_error(where + "a stride of " + std::to_string(block.stride[k]) + " bytes" +
                        along(k) + " lays cells on top of each other");
    }
    reached += stride * static_cast<double>(a.width(block, k) - 1);
  }
  if (reached > 0x1p62) throw usage_error(where + "it is larger than memory can be");
}

void expect_block(const divided_array& a, const plait_array_block& block,
                  const std::string& where) {
  for (std::size_t k = 0; k < a.axes(); ++k) {
    const std::int64_t cells = block.cells[k];
    if (cells < 1) throw usage_error(where + std::to_string(cells) + " cells" + along(k));
    if (block.first[k] >= 0 && cells <= a.own.cells[k] &&
        block.first[k] <= a.own.cells[k] - cells) {
      continue;
    }
    throw usage_error(where + std::to_string(cells) + " cells from " +
                      std::to_string(block.first[k]) + along(k) + " leave the array's " +
                      std::to_string(a.own.cells[k]));
  }
  if (block.begin == nullptr) throw usage_error(where + "its memory begins at a null pointer");
  expect_apart(a, block, where);
}

[[nodiscard]] bool lies_dense(const divided_array& a, std::size_t k) {
  return std::ranges::all_of(a.blocks(), [&](const plait_array_block& block) {
    return a.width(block, k) == 1 ||
           block.stride[k] == static_cast<std::int64_t>(a.own.element_bytes);
  });
}

/// 1, the facts, and of each array its layout and blocks.
[[nodiscard]] std::vector<std::int64_t> record_of(const described_move& move) {
  std::vector<std::int64_t> record{1};
  for (const agreed& one : move.facts) record.push_back(one.value);
  for (const divided_array& a : move.arrays) {
    for (std::size_t k = 0; k < a.axes(); ++k) record.push_back(lies_dense(a, k) ? 1 : 0);
    record.push_back(a.own.block_count);
    if (a.own.block_count == 0) continue;
    for (const std::size_t k : order_of(a, a.blocks().front()))
      record.push_back(static_cast<std::int64_t>(k));
    for (const plait_array_block& block : a.blocks()) {
      record.insert(record.end(), block.first, block.first + a.axes());
      record.insert(record.end(), block.cells, block.cells + a.axes());
    }
  }
  return record;
}

/// 0, and the text.
[[nodiscard]] std::vector<std::int64_t> record_of(const std::exception_ptr& refusal) {
  std::vector<std::int64_t> record{0};
  for (const char letter : exception_text(refusal)) record.push_back(letter);
  return record;
}

/// Reads the numbers behind the facts of a rank.
class record_reader {
 public:
  record_reader(std::span<const std::int64_t> numbers) : rest_(numbers) {}
  [[nodiscard]] std::int64_t next() {
    const std::int64_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  [[nodiscard]] numbers next_of(std::size_t axes) {
    numbers found{};
    for (std::size_t k = 0; k < axes; ++k) found[k] = next();
    return found;
  }

 private:
  std::span<const std::int64_t> rest_;
};

/// The order of axes is that of the first rank which has a block, since all pack in one order.
void read_blocks(described_move& move, const std::vector<std::vector<std::int64_t>>& records) {
  std::array<bool, PLAIT_AXES> sparse{};
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    record_reader from(std::span(records[rank]).subspan(1 + move.facts.size()));
    for (divided_array& a : move.arrays) {
      for (std::size_t k = 0; k < a.axes(); ++k)
        if (from.next() == 0) sparse[k] = true;
      const std::int64_t blocks = from.next();
      if (blocks == 0) continue;
      const numbers order = from.next_of(a.axes());
      if (move.order.empty()) {
        for (std::size_t k = 0; k < a.axes(); ++k)
          move.order.push_back(static_cast<std::size_t>(order[k]));
      }
      for (std::int64_t i = 0; i < blocks; ++i) {
        const numbers first = from.next_of(a.axes());
        a.all.push_back({first, from.next_of(a.axes()), static_cast<int>(rank)});
      }
    }
  }
  if (move.order.empty()) throw usage_error("no rank has a block");
  // An axis of one cell is dense, whatever its stride.
  const auto dense = std::ranges::find_if(move.order, [&](std::size_t k) { return !sparse[k]; });
  move.dense = dense != move.order.end();
  if (move.dense) std::rotate(move.order.begin(), dense, dense + 1);
}

}  // namespace

std::string along(std::size_t k) {
  return " along axis " + std::to_string(k);
}

divided_array read_array(const plait_array* given, const char* function, const std::string& role) {
  expect_given(given, function, "array");
  const std::string where = std::string(function) + ": " + role;
  divided_array a{.own = own_version(given, "plait_array")};
  expect_domain(a.own, where);
  if (a.own.block_count < 0)
    throw usage_error(where + std::to_string(a.own.block_count) + " blocks");
  if (a.own.block_count > 0 && a.own.blocks == nullptr)
    throw usage_error(where + "the list of blocks is a null pointer");
  std::size_t number = 0;
  for (const plait_array_block& block : a.blocks())
    expect_block(a, block, where + "block " + std::to_string(number++) + ": ");
  return a;
}

void add_facts(const divided_array& a, std::vector<agreed>& facts) {
  facts.push_back({"the number of axes", a.own.axes});
  facts.push_back({"the size of an element", static_cast<std::int64_t>(a.own.element_bytes)});
  for (std::size_t k = 0; k < a.axes(); ++k) {
    facts.push_back({"the number of cells" + along(k), a.own.cells[k]});
    facts.push_back({"the number of layers of ghosts" + along(k), a.own.ghosts[k]});
    facts.push_back({"being periodic" + along(k), a.own.periodic[k] != 0 ? 1 : 0});
  }
}

void agree(plait_runtime& rt, described_move& move, const std::exception_ptr& refusal) {
  const std::vector<std::int64_t> own = refusal != nullptr ? record_of(refusal) : record_of(move);
  const auto ranks = static_cast<std::size_t>(rt.env.size());
  const auto records = rt.env.exchange(std::vector<std::vector<std::int64_t>>(ranks, own));
  if (refusal != nullptr) std::rethrow_exception(refusal);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (records[rank].front() == 1) continue;
    throw usage_error("rank " + std::to_string(rank) + ": " +
                      std::string(records[rank].begin() + 1, records[rank].end()));
  }
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    const std::vector<std::int64_t>& a = records[0];
    const std::vector<std::int64_t>& b = records[rank];
    const std::size_t facts = std::min({a.size(), b.size(), move.facts.size() + 1});
    for (std::size_t i = 1; i < facts; ++i) {
      if (a[i] == b[i]) continue;
      throw usage_error("ranks 0 and " + std::to_string(rank) +
                        " differ: " + move.facts[i - 1].what + " is " + std::to_string(a[i]) +
                        " and " + std::to_string(b[i]));
    }
  }
  read_blocks(move, records);
}

}  // namespace plait::c
