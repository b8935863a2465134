// SPDX-License-Identifier: BSD-3-Clause
/// The policies of progress, for tests that go through all of them.
#pragma once

#include <plait/comm/progress_policy.hpp>

namespace plait::test {

inline constexpr progress all_policies[] = {progress::automatic, progress::dedicated,
                                            progress::sleeping, progress::workers, progress::none};

}  // namespace plait::test
