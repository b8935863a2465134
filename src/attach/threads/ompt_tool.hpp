// SPDX-License-Identifier: BSD-3-Clause
/// Tells whether a runtime of OpenMP says by itself what its threads do.
#pragma once

#include <atomic>

namespace plait::attach {

extern std::atomic<bool> has_ompt;

}  // namespace plait::attach
