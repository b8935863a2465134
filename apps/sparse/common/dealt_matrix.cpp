// SPDX-License-Identifier: BSD-3-Clause
#include "dealt_matrix.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace plait::sparse {
namespace {

/// The new order of rows, or of elements of x: `order[i]` is what is number i from now on.
struct numbering {
  std::vector<std::int32_t> order;
  std::vector<std::int64_t> first;  ///< by rank, and the end of the last
};

/// By rank, then by `key`, else as before.
template <class Key>
numbering renumber(std::span<const std::int32_t> rank_of, int ranks, Key&& key) {
  numbering result;
  result.order.resize(rank_of.size());
  std::iota(result.order.begin(), result.order.end(), 0);
  std::ranges::stable_sort(result.order, {}, [&](std::int32_t i) {
    return std::pair(rank_of[static_cast<std::size_t>(i)], key(i));
  });
  result.first.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (const std::int32_t rank : rank_of) ++result.first[static_cast<std::size_t>(rank) + 1];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  return result;
}

/// The place of each row's set of owners among all sets, which are sorted.
std::vector<std::int32_t> sets_of_rows(const sparse_matrix& a,
                                       std::span<const std::int32_t> row_ranks,
                                       std::span<const std::int32_t> column_ranks) {
  std::map<std::vector<std::int32_t>, std::int32_t> sets;
  std::vector<const std::int32_t*> set_of(static_cast<std::size_t>(a.rows));
  std::vector<std::int32_t> owners;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    owners.clear();
    for (const std::int32_t column : a.columns_of(row)) {
      const std::int32_t owner = column_ranks[static_cast<std::size_t>(column)];
      if (owner != row_ranks[i] && (owners.empty() || owners.back() != owner))
        owners.push_back(owner);
    }
    std::ranges::sort(owners);
    owners.erase(std::ranges::unique(owners).begin(), owners.end());
    set_of[i] = &sets.emplace(owners, 0).first->second;
  }
  std::int32_t next = 0;
  for (auto& [set, place] : sets) place = next++;
  std::vector<std::int32_t> result(set_of.size());
  std::ranges::transform(set_of, result.begin(), [](const std::int32_t* place) { return *place; });
  return result;
}

/// Holds what rank 0 tells a rank: sizes, the first columns of all, its columns' old numbers, then
/// row by row the old number, how many entries, and these by their new columns, ascending.
class dealer {
 public:
  dealer(const sparse_matrix& whole, std::span<const std::int32_t> row_ranks,
         std::span<const std::int32_t> column_ranks, int ranks)
      : a_(whole) {
    const std::vector<std::int32_t> sets = sets_of_rows(whole, row_ranks, column_ranks);
    rows_ = renumber(row_ranks, ranks,
                     [&](std::int32_t row) { return sets[static_cast<std::size_t>(row)]; });
    columns_ = whole.rows == whole.columns
                   ? rows_
                   : renumber(column_ranks, ranks, [](std::int32_t) { return 0; });
    new_column_.resize(static_cast<std::size_t>(whole.columns));
    for (std::size_t i = 0; i < columns_.order.size(); ++i)
      new_column_[static_cast<std::size_t>(columns_.order[i])] = static_cast<std::int64_t>(i);
  }

  [[nodiscard]] std::vector<std::int64_t> message(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    std::vector<std::int64_t> m{a_.rows, a_.columns};
    m.insert(m.end(), columns_.first.begin(), columns_.first.end());
    for (std::int64_t i = columns_.first[r]; i < columns_.first[r + 1]; ++i)
      m.push_back(columns_.order[static_cast<std::size_t>(i)]);
    m.push_back(rows_.first[r + 1] - rows_.first[r]);
    std::vector<std::pair<std::int64_t, double>> entries;
    for (std::int64_t i = rows_.first[r]; i < rows_.first[r + 1]; ++i) {
      const std::int32_t row = rows_.order[static_cast<std::size_t>(i)];
      const auto columns = a_.columns_of(row);
      const auto values = a_.values_of(row);
      entries.clear();
      for (std::size_t k = 0; k < columns.size(); ++k)
        entries.emplace_back(new_column_[static_cast<std::size_t>(columns[k])], values[k]);
      std::ranges::sort(entries, {}, &std::pair<std::int64_t, double>::first);
      m.push_back(row);
      m.push_back(static_cast<std::int64_t>(entries.size()));
      for (const auto& [column, value] : entries) {
        m.push_back(column);
        m.push_back(std::bit_cast<std::int64_t>(value));
      }
    }
    return m;
  }

 private:
  const sparse_matrix& a_;
  numbering rows_;
  numbering columns_;
  std::vector<std::int64_t> new_column_;
};

/// Reads what a `dealer` has written.
class receiver {
 public:
  receiver(std::span<const std::int64_t> message, int rank, int ranks) : next_(message.data()) {
    a_.rank = rank;
    a_.rows = read();
    a_.columns = read();
    for (int r = 0; r <= ranks; ++r) a_.first_columns.push_back(read());
    for (std::int64_t i = 0; i < a_.own_columns(); ++i) a_.original_columns.push_back(read());
    a_.own.rows = a_.far.rows = read();
    a_.own.columns = a_.own_columns();
    for (std::int64_t row = 0; row < a_.own.rows; ++row) read_row();
    number_ghosts();
  }
  [[nodiscard]] dealt_matrix take() { return std::move(a_); }

 private:
  std::int64_t read() noexcept { return *next_++; }

  void read_row() {
    a_.original_rows.push_back(read());
    const std::int64_t size = read();
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t column = read() - a_.first_column();
      const auto value = std::bit_cast<double>(read());
      const bool is_own = column >= 0 && column < a_.own_columns();
      sparse_matrix& part = is_own ? a_.own : a_.far;
      part.value.push_back(value);
      if (is_own) {
        part.column.push_back(static_cast<std::int32_t>(column));
      } else {
        far_columns_.push_back(column + a_.first_column());
      }
    }
    a_.own.row_begin.push_back(static_cast<std::int64_t>(a_.own.value.size()));
    a_.far.row_begin.push_back(static_cast<std::int64_t>(a_.far.value.size()));
  }

  void number_ghosts() {
    a_.ghosts = far_columns_;
    std::ranges::sort(a_.ghosts);
    a_.ghosts.erase(std::ranges::unique(a_.ghosts).begin(), a_.ghosts.end());
    a_.far.columns = static_cast<std::int64_t>(a_.ghosts.size());
    a_.far.column.reserve(far_columns_.size());
    for (const std::int64_t column : far_columns_)
      a_.far.column.push_back(static_cast<std::int32_t>(
          std::ranges::lower_bound(a_.ghosts, column) - a_.ghosts.begin()));
    for (std::size_t k = 0; k < a_.ghosts.size(); ++k) {
      const auto above = std::ranges::upper_bound(a_.first_columns, a_.ghosts[k]);
      const int owner = static_cast<int>(above - a_.first_columns.begin()) - 1;
      const auto at = static_cast<std::int64_t>(k);
      if (a_.ghost_ranges.empty() || a_.ghost_ranges.back().owner != owner)
        a_.ghost_ranges.push_back({owner, at, at});
      a_.ghost_ranges.back().last = at + 1;
    }
  }

  dealt_matrix a_;
  const std::int64_t* next_;
  std::vector<std::int64_t> far_columns_;
};

}  // namespace

decomposition<1> dealt_matrix::owners() const {
  std::vector<owned_block<1>> blocks;
  for (std::size_t r = 0; r + 1 < first_columns.size(); ++r)
    if (first_columns[r] < first_columns[r + 1])
      blocks.push_back({box<1>(point<1>(first_columns[r]), point<1>(first_columns[r + 1])),
                        static_cast<int>(r)});
  return {{.global = columns}, blocks};
}

dealt_matrix deal_out(environment& env, const sparse_matrix& whole,
                      std::span<const std::int32_t> row_ranks,
                      std::span<const std::int32_t> column_ranks) {
  std::vector<std::vector<std::int64_t>> messages(static_cast<std::size_t>(env.size()));
  if (env.rank() == 0) {
    const dealer all(whole, row_ranks, column_ranks, env.size());
    for (int rank = 0; rank < env.size(); ++rank)
      messages[static_cast<std::size_t>(rank)] = all.message(rank);
  }
  const auto got = env.exchange(messages);
  return receiver(got[0], env.rank(), env.size()).take();
}

std::vector<piece> cut_rows(const dealt_matrix& a, std::int64_t nonzeros) {
  std::vector<std::size_t> range_of(a.ghosts.size());
  for (std::size_t r = 0; r < a.ghost_ranges.size(); ++r)
    for (std::int64_t k = a.ghost_ranges[r].first; k < a.ghost_ranges[r].last; ++k)
      range_of[static_cast<std::size_t>(k)] = r;
  std::vector<piece> pieces;
  std::int64_t size = 0;
  std::vector<std::size_t> set;
  std::vector<std::size_t> last_set;
  for (std::int64_t row = 0; row < a.own_rows(); ++row) {
    set.clear();
    for (const std::int32_t ghost : a.far.columns_of(row)) {
      const std::size_t range = range_of[static_cast<std::size_t>(ghost)];
      if (set.empty() || set.back() != range) set.push_back(range);  // ghosts ascend, ranges too
    }
    const bool begins = pieces.empty() || size >= nonzeros || (set.empty() != last_set.empty()) ||
                        (set != last_set && size >= nonzeros / 4);
    if (begins) {
      pieces.push_back({{row, row}, {}});
      size = 0;
    }
    piece& now = pieces.back();
    std::vector<std::size_t> both;
    std::ranges::set_union(now.needs, set, std::back_inserter(both));
    now.needs = std::move(both);
    now.rows.last = row + 1;
    size += a.own.nonzeros(row) + a.far.nonzeros(row) + 1;
    last_set = set;
  }
  return pieces;
}

}  // namespace plait::sparse
