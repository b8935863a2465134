// SPDX-License-Identifier: BSD-3-Clause
/// The rows on a device.  `how` outlives them.
#pragma once

#include <memory>

#include <plait/plait.hpp>

#include "device/options.hpp"
#include "variant.hpp"

namespace jacobi3d {

[[nodiscard]] std::unique_ptr<variant> make_device_base(plait::environment& env,
                                                        const device_options& how);
[[nodiscard]] std::unique_ptr<variant> make_device_olap(plait::environment& env,
                                                        const device_options& how);
[[nodiscard]] std::unique_ptr<variant> make_device_plait(plait::environment& env,
                                                         const plait::runtime_options& tasks,
                                                         const device_options& how);
/// By hand on an emulated device, on another one by tasks.
[[nodiscard]] std::unique_ptr<variant> make_device_ideal(plait::environment& env,
                                                         const plait::runtime_options& tasks,
                                                         const device_options& how);
[[nodiscard]] std::unique_ptr<variant> make_ideal_by_hand(const device_options& how);

}  // namespace jacobi3d
