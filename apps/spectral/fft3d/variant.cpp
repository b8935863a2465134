// SPDX-License-Identifier: BSD-3-Clause
#include "variant.hpp"

#include <plait/plait.hpp>

namespace fft3d {

std::unique_ptr<variant> make_variant(const std::string& name, plait::environment& env,
                                      const options& chosen) {
  if (name == "blocking") return make_blocking(env);
  if (name == "library") return make_pipeline(env, looks::none);
  if (name == "tested") return make_pipeline(env, looks::tests);
  if (name == "threaded") return make_pipeline(env, looks::thread);
  if (name == "plait") return make_plait(env, chosen);
  PLAIT_EXPECTS(name == "ideal", name);
  return make_ideal();
}

}  // namespace fft3d
