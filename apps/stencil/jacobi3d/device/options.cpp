// SPDX-License-Identifier: BSD-3-Clause
#include "device/options.hpp"

#include "relax_cells_text.hpp"

namespace jacobi3d {

device_options with_kernel(const plait::stencil::device_options& on) {
  device_options result{on};
  if (!on.is_emulated) result.relax.emplace(on.gpu, relax_cells_text, "relax_cells");
  return result;
}

}  // namespace jacobi3d
