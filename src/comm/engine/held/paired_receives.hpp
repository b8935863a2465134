// SPDX-License-Identifier: BSD-3-Clause
/// Long receives that wait for this rank's own long messages to the same rank.  Holder of the token
/// only.
#pragma once

#include <plait/comm/operation.hpp>

#include "look/paired_receives.hpp"

namespace plait {

using paired_receives = basic_paired_receives<operation>;

}  // namespace plait
