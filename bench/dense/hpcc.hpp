// SPDX-License-Identifier: BSD-3-Clause
/// netlib's HPL, as the last part of HPC Challenge's program.  That cannot be linked: rank 0 starts
/// a job of it while the other ranks sleep.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "contestant.hpp"

namespace plait::bench::dense {

/// Makes a contestant that tries the blocks of `how`, look-ahead of 0 and 1, and ways to factor and
/// to send panels, all in one job.  `env` outlives it.
[[nodiscard]] std::unique_ptr<contestant> make_hpcc(environment& env, const mesh& grid,
                                                    std::int64_t n, const setup& how);

/// Returns why there is no such contestant; empty where there is one.
[[nodiscard]] std::string why_no_hpcc(const std::string& command);

}  // namespace plait::bench::dense
