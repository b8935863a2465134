// SPDX-License-Identifier: BSD-3-Clause
#include "variant.hpp"

namespace compress {

std::unique_ptr<variant> make_variant(const std::string& name, plait::environment& env,
                                      const options& chosen) {
  if (name == "base") return make_base(env);
  if (name == "olap") return make_olap(env);
  if (name == "plait") return make_plait(env, chosen);
  PLAIT_EXPECTS(name == "ideal", name);
  return make_ideal();
}

}  // namespace compress
