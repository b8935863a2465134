// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <plait/mover/index_lists.hpp>

void list(plait::environment& env, const plait::decomposition<1>& blocks,
          const std::vector<plait::point<1, plait::space::local>>& mine,
          const std::vector<plait::point<1>>& needed) {
#ifndef PLAIT_CONTROL
  const plait::index_lists wrong{env, blocks, mine};
#endif
  const plait::index_lists right{env, blocks, needed};
}
