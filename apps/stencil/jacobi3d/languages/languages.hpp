// SPDX-License-Identifier: BSD-3-Clause
/// Variants whose tasks and messages are submitted from C, Fortran or Python: those of `plait`, and
/// the kernel of C++.  A process has one plait a library: theirs is libplait.so, which joins MPI as
/// a guest while the program's own runtime is not there.
#pragma once

#include <memory>

#include "tasks/tasks.hpp"

namespace jacobi3d {

[[nodiscard]] std::unique_ptr<variant> make_plait_c(plait::environment& env,
                                                    const plait::runtime_options& how);
[[nodiscard]] std::unique_ptr<variant> make_plait_fortran(plait::environment& env,
                                                          const plait::runtime_options& how);
[[nodiscard]] std::unique_ptr<variant> make_plait_python(plait::environment& env,
                                                         const plait::runtime_options& how);

}  // namespace jacobi3d
