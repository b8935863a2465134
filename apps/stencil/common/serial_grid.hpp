// SPDX-License-Identifier: BSD-3-Clause
/// All cells of a grid as one process has them that knows nothing of blocks, ghosts and messages:
/// for a second opinion.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "boundary.hpp"
#include "cell_rows.hpp"

namespace plait::stencil {

/// Values of cells, 0 at first, x fastest.
class serial_grid {
 public:
  serial_grid(const std::array<std::int64_t, 3>& cells, boundary edge)
      : values(static_cast<std::size_t>(cells[0] * cells[1] * cells[2])),
        cells_(cells),
        edge_(edge) {}

  std::vector<double> values;

  [[nodiscard]] double& at(std::int64_t x, std::int64_t y, std::int64_t z) {
    return values[place(x, y, z)];
  }
  [[nodiscard]] double at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return values[place(x, y, z)];
  }
  /// Calls visit(i, value) for each cell of a row.
  template <class Visit>
  void each(const cell_row& row, Visit&& visit) {
    const auto [x, y, z] = row.first.along;
    for (std::int64_t i = 0; i < row.cells; ++i) visit(i, at(x + i * row.step, y, z));
  }
  /// Returns the sum of a cell's six neighbours, along x, y and z: around the grid where it is
  /// periodic, else 0 beyond it.
  [[nodiscard]] double around(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return beside(x - 1, y, z) + beside(x + 1, y, z) + beside(x, y - 1, z) + beside(x, y + 1, z) +
           beside(x, y, z - 1) + beside(x, y, z + 1);
  }

 private:
  [[nodiscard]] std::size_t place(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>(x + cells_[0] * (y + cells_[1] * z));
  }
  [[nodiscard]] double beside(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const auto [nx, ny, nz] = cells_;
    const bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    if (!inside && edge_ == boundary::dirichlet) return 0.0;
    return values[place((x + nx) % nx, (y + ny) % ny, (z + nz) % nz)];
  }

  std::array<std::int64_t, 3> cells_;
  boundary edge_;
};

}  // namespace plait::stencil
