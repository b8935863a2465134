// SPDX-License-Identifier: BSD-3-Clause
/// A library for transforms over ranks that plait is compared with.  It transforms a grid and back,
/// on memory of the library's own layout.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "common/plans.hpp"
#include "common/slabs.hpp"

namespace plait::bench::fft {

using spectral::complex;
using spectral::index;
using spectral::range;

/// A rank's part of a grid, and its place in memory.  x's are neighbours.
struct part {
  complex* first = nullptr;  ///< of x.low, y.low, z.low
  range x, y, z;
  index y_stride = 0;  ///< elements between neighbours along y
  index z_stride = 0;

  [[nodiscard]] complex* row(index at_y, index at_z) const noexcept {
    return first + (at_y - y.low) * y_stride + (at_z - z.low) * z_stride;
  }
  [[nodiscard]] bool has(const std::array<index, 3>& cell) const noexcept {
    const auto in = [](const range& some, index i) { return i >= some.low && i < some.high; };
    return in(x, cell[0]) && in(y, cell[1]) && in(z, cell[2]);
  }
  [[nodiscard]] complex& at(const std::array<index, 3>& cell) const noexcept {
    return row(cell[1], cell[2])[cell[0] - x.low];
  }
  [[nodiscard]] index size() const noexcept { return x.size() * y.size() * z.size(); }
};

/// Calls `body(y, z, row)` for each row along x, in the order of memory.
template <class Body>
void for_rows(const part& of, Body&& body) {
  if (of.z_stride >= of.y_stride) {
    for (index z = of.z.low; z < of.z.high; ++z)
      for (index y = of.y.low; y < of.y.high; ++y) body(y, z, of.row(y, z));
  } else {
    for (index y = of.y.low; y < of.y.high; ++y)
      for (index z = of.z.low; z < of.z.high; ++z) body(y, z, of.row(y, z));
  }
}

/// A peer's plans for one grid.  The two parts may share their memory.
class transform {
 public:
  virtual ~transform() = default;
  /// The rank has all x of this part.
  [[nodiscard]] virtual const part& space() const noexcept = 0;
  [[nodiscard]] virtual const part& waves() const noexcept = 0;
  /// From space to waves, and back.  Not normalised; what is transformed is lost.  Collective.
  virtual void forward() = 0;
  virtual void backward() = 0;
};

struct peer {
  std::string name;
  std::string about;  ///< one line: which calls
  std::function<std::unique_ptr<transform>(environment&, const std::array<index, 3>& cells,
                                           spectral::planning)>
      make;
};

/// Each where it was found when this was built.
[[nodiscard]] peer fftw_mpi();
[[nodiscard]] peer mpi4py_fft();

/// Those that were found.
[[nodiscard]] std::vector<peer> all_peers();
/// The names of those that were not, and why.
[[nodiscard]] std::map<std::string, std::string> missing_peers();

}  // namespace plait::bench::fft
