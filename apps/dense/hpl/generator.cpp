// SPDX-License-Identifier: BSD-3-Clause
#include "generator.hpp"

namespace hpl {

// `entry + 1` steps from X0 by doubling: a step, two steps, four … are each X <- a X + c.
generator::generator(std::uint64_t entry) noexcept : x_(100) {
  std::uint64_t a = factor, c = 1;
  for (std::uint64_t steps = entry + 1; steps != 0; steps >>= 1) {
    if ((steps & 1) != 0) x_ = a * x_ + c;
    c = a * c + c;
    a *= a;
  }
}

}  // namespace hpl
