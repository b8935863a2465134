// SPDX-License-Identifier: BSD-3-Clause
/// This rank's neighbours in the ring of all ranks.
#pragma once

#include <plait/comm/environment.hpp>

namespace plait::test {

struct neighbours {
  explicit neighbours(const environment& env)
      : rank(env.rank()),
        right((env.rank() + 1) % env.size()),
        left((env.rank() + env.size() - 1) % env.size()) {}
  int rank;
  int right;
  int left;
};

}  // namespace plait::test
