// SPDX-License-Identifier: BSD-3-Clause
#include "variant.hpp"

namespace redblack3d {

std::unique_ptr<variant> make_variant(plait::environment& env, const policy& how,
                                      slow_worker slow) {
  switch (how.what) {
    case policy::kind::hand:
      return make_hand(env, slow);
    case policy::kind::ideal:
      return make_ideal(slow);
    case policy::kind::tasks:
      return make_tasks(env, how, slow);
    case policy::kind::multi_tier:
      break;
  }
  return make_multi_tier(env, how, slow);
}

}  // namespace redblack3d
