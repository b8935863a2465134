// SPDX-License-Identifier: BSD-3-Clause
/// Everything a program needs.  (To call MPI yourself, include <plait/comm/mpi.hpp> as well.)
#pragma once

#include <plait/array/block_decomposition.hpp>
#include <plait/array/process_grid.hpp>
#include <plait/comm/environment.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>
#include <plait/probe/loggp.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/chrome_trace.hpp>
#include <plait/trace/critical_path.hpp>
#include <plait/trace/summary.hpp>
