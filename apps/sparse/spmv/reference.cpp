// SPDX-License-Identifier: BSD-3-Clause
#include "reference.hpp"

#include <memory>

#include "measure/base/gather.hpp"
#include "measure/compare/comparison.hpp"

namespace spmv {

verdict make_reference(plait::environment& env, problem& p, int steps) {
  const std::unique_ptr<variant> ideal = make_ideal(env), base = make_base(env);
  for (const auto& code : {ideal.get(), base.get()}) {
    (void)plait::measure::run_once(*code, p, steps - 1);
    p.expect_product(code->solves());
  }
  (void)plait::measure::run_once(*base, p, steps);
  if (!plait::measure::all_of(env, !p.now.indefinite))
    throw plait::usage_error(
        "--method is cg; the matrix is not positive definite, p·Ap became 0 or less");
  p.keep_as_reference();
  return p.check_closed_form(base->solves(), steps);
}

}  // namespace spmv
