// SPDX-License-Identifier: BSD-3-Clause
#include <plait/array/block_cyclic.hpp>

int owner(const plait::block_cyclic<2>& dealt, plait::point<2, plait::space::packed> mine) {
#ifndef PLAIT_CONTROL
  return dealt.rank_of(mine);
#endif
  return dealt.rank_of(dealt.to_global(mine, 0));
}
