// SPDX-License-Identifier: BSD-3-Clause
/// The paper's experiments, by name.
#pragma once

#include <string>
#include <vector>

#include "common/row_blocks.hpp"
#include "points.hpp"
#include "workload.hpp"

namespace ft_probe {

/// The shape of each rank's rows, as it is asked for.
struct named_shape {
  std::string label;
  row_blocks blocks;
};

/// One group of bars: a shape, and how much of it is transformed.
struct circumstance {
  std::size_t shape = 0;
  double scale = 0;  ///< as asked for
  double ratio = 0;  ///< communication : computation that `scale` was chosen for; 0: none
};

/// A named experiment.  The command line says whatever a preset leaves empty.
struct preset {
  std::string name;
  std::string about;                            ///< one line
  std::vector<std::pair<index, index>> shapes;  ///< R and N of a rank
  std::vector<double> scales;
  bool constant_operations = false;  ///< the same for each shape: those of the cheapest
  bool computation_alone = false;    ///< beside each way, the way `none`
};

[[nodiscard]] const std::vector<preset>& presets();
/// Errors: usage_error naming `option`.
[[nodiscard]] const preset& preset_of(const std::string& option, const std::string& name);

/// Returns the scale of each shape at which all have the operations of the one with the fewest.
[[nodiscard]] std::vector<double> equal_operations(const std::vector<named_shape>& shapes);

}  // namespace ft_probe
