// SPDX-License-Identifier: BSD-3-Clause
#include "transposition.hpp"

#include <plait/plait.hpp>

namespace summa {

using plait::dense::by_place;

transposition::transposition(const dealt_matrix& from, const dealt_matrix& to,
                             const plait::dense::mesh& grid)
    : rows_(from.rows.count(grid.p())), transposed_rows_(to.rows.count(grid.p())) {
  const auto ranks = static_cast<std::size_t>(grid.rows() * grid.columns());
  to_.resize(ranks);
  from_.resize(ranks);
  // Rows of the matrix are columns of the transpose.
  const auto out_rows = by_place(from.rows, grid.p(), to.columns);
  const auto out_columns = by_place(from.columns, grid.q(), to.rows);
  const auto in_rows = by_place(to.rows, grid.p(), from.columns);
  const auto in_columns = by_place(to.columns, grid.q(), from.rows);
  for (int p = 0; p < grid.rows(); ++p)
    for (int q = 0; q < grid.columns(); ++q) {
      const auto rank = static_cast<std::size_t>(grid.rank_at(p, q));
      const auto row = static_cast<std::size_t>(p), column = static_cast<std::size_t>(q);
      to_[rank] = {out_rows[column], out_columns[row]};
      from_[rank] = {in_rows[column], in_columns[row]};
    }
}

std::int64_t transposition::entries_to(int rank) const {
  return to_[static_cast<std::size_t>(rank)].size();
}

std::int64_t transposition::entries_from(int rank) const {
  return from_[static_cast<std::size_t>(rank)].size();
}

void transposition::pack(int rank, std::span<const double> part, std::span<double> message) const {
  const cells& some = to_[static_cast<std::size_t>(rank)];
  double* to = message.data();
  for (const std::int64_t row : some.rows)
    for (const std::int64_t column : some.columns)
      *to++ = part[static_cast<std::size_t>(row + column * rows_)];
}

void transposition::unpack(int rank, std::span<const double> message,
                           std::span<double> part) const {
  const cells& some = from_[static_cast<std::size_t>(rank)];
  const double* from = message.data();
  for (const std::int64_t column : some.columns)
    for (const std::int64_t row : some.rows)
      part[static_cast<std::size_t>(row + column * transposed_rows_)] = *from++;
}

}  // namespace summa
