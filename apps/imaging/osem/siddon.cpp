// SPDX-License-Identifier: BSD-3-Clause
#include "siddon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace osem {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// A line so nearly parallel to the planes of an axis crosses none of them.
constexpr double parallel = 1e-12;

/// Holds what happens along one axis: the planes between voxels that the line meets, in order.
class axis_walk {
 public:
  /// False where the line misses the grid.
  bool begin(double low, std::int64_t cells, double through, double direction) {
    low_ = low;
    cells_ = cells;
    through_ = through;
    direction_ = direction;
    const double high = low + static_cast<double>(cells);
    if (std::abs(direction) < parallel) {
      cell_ = static_cast<std::int64_t>(std::floor(through - low));
      direction_ = 0;
      return through >= low && through < high;
    }
    const double a = (low - through) / direction, b = (high - through) / direction;
    entry_ = std::min(a, b);
    leave_ = std::max(a, b);
    return true;
  }

  [[nodiscard]] double entry() const noexcept { return entry_; }
  [[nodiscard]] double leave() const noexcept { return leave_; }

  /// Stands in the voxel just after `at`, a length along the line.
  void stand(double at) {
    if (direction_ == 0) return;
    const double place = std::floor(through_ + at * direction_ - low_);
    cell_ = std::clamp(static_cast<std::int64_t>(place), std::int64_t{0}, cells_ - 1);
    while (next() <= at && is_inside()) step();
  }

  /// Returns the parameter at which the line leaves this voxel along the axis.
  [[nodiscard]] double next() const {
    if (direction_ == 0) return infinity;
    const double plane = low_ + static_cast<double>(direction_ > 0 ? cell_ + 1 : cell_);
    return (plane - through_) / direction_;
  }

  void step() noexcept { cell_ += direction_ > 0 ? 1 : -1; }
  [[nodiscard]] bool is_inside() const noexcept { return cell_ >= 0 && cell_ < cells_; }
  [[nodiscard]] std::int64_t cell() const noexcept { return cell_; }

 private:
  double low_ = 0;
  std::int64_t cells_ = 1;
  double through_ = 0;
  double direction_ = 0;
  double entry_ = -infinity;
  double leave_ = infinity;
  std::int64_t cell_ = 0;
};

}  // namespace

void trace(const image_grid& grid, const ray& line, std::vector<crossing>& to) {
  const std::size_t slowest = grid.slowest_axis();
  const double sign = line.direction[slowest] < 0 ? -1 : 1;  // upwards along the slowest axis
  std::array<axis_walk, 3> axes;
  double at = -infinity, end = infinity;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!axes[a].begin(grid.low(a), grid.cells[a], line.through[a], sign * line.direction[a]))
      return;
    at = std::max(at, axes[a].entry());
    end = std::min(end, axes[a].leave());
  }
  if (!(at < end)) return;
  for (axis_walk& axis : axes) axis.stand(at);
  while (axes[0].is_inside() && axes[1].is_inside() && axes[2].is_inside()) {
    const std::array<double, 3> next{axes[0].next(), axes[1].next(), axes[2].next()};
    const std::size_t nearest =
        next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
    const double leave = std::min(next[nearest], end);
    if (leave > at) {
      const std::int64_t pixel =
          (axes[2].cell() * grid.cells[1] + axes[1].cell()) * grid.cells[0] + axes[0].cell();
      to.push_back({static_cast<std::uint32_t>(pixel), leave - at});
      at = leave;
    }
    if (leave >= end) return;
    axes[nearest].step();
  }
}

}  // namespace osem
