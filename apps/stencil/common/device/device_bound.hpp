// SPDX-License-Identifier: BSD-3-Clause
/// Parts of a result that only rows on a device have: time of copies, and the bound that counts
/// them.
#pragma once

#include "measure/compare/comparison.hpp"
#include "options.hpp"

namespace plait::stencil {

/// Returns what a result's parameters say of the device.
[[nodiscard]] measure::json to_json(const device_options& how);

/// Adds to each variant what its copies took, and to the result the bound: the slowest of device,
/// bus and link.  Precondition: `device_account` has added its figures.
void add_device(measure::json& out, const measure::measurements& found);

/// Prints that bound, and how many times it each variant took, where a result has it.
void print_device(const measure::json& result);

}  // namespace plait::stencil
