// SPDX-License-Identifier: BSD-3-Clause
#include <plait/comm/mpi.hpp>

#include "kernel.hpp"
#include "rank_sum.hpp"
#include "variant.hpp"

namespace poisson {

std::unique_ptr<variant> make_variant(std::string_view name, plait::environment& env,
                                      const options& chosen) {
  if (name == "base") return make_base(env, chosen);
  if (name == "olap") return make_olap(env, chosen);
  if (name == "plait") return make_plait(env, chosen);
  if (name == "pipelined") return make_pipelined(env, chosen);
  return make_ideal();
}

double norm_of_start(plait::environment& env, const problem& p) {
  double bb = 0;
  const const_values r = p.block(p.r);
  for (const strip& s : p.strips()) bb += dot(r[s.rows], r[s.rows]);
  return sum_over_ranks(plait::native(env), bb);
}

}  // namespace poisson
