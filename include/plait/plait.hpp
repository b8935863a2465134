// SPDX-License-Identifier: BSD-3-Clause
/// Everything a program needs.  (To call MPI yourself, include <plait/comm/mpi.hpp> as well.)
#pragma once

#include <plait/array/block_array.hpp>
#include <plait/array/block_copies.hpp>
#include <plait/array/block_cyclic.hpp>
#include <plait/array/cut.hpp>
#include <plait/array/decomposition.hpp>
#include <plait/array/hierarchical_decomposition.hpp>
#include <plait/array/process_grid.hpp>
#include <plait/array/rim.hpp>
#include <plait/array/view.hpp>
#include <plait/comm/collective/choice.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/flood.hpp>
#include <plait/core/box.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>
#include <plait/core/fair_share.hpp>
#include <plait/core/no_rank.hpp>
#include <plait/core/region.hpp>
#include <plait/core/text_file.hpp>
#include <plait/core/version.hpp>
#include <plait/model/parameters_file.hpp>
#include <plait/model/service_core.hpp>
#include <plait/mover/array_moves.hpp>
#include <plait/mover/index_lists.hpp>
#include <plait/mover/mover.hpp>
#include <plait/probe/loggp.hpp>
#include <plait/runtime/cheapest_algorithm.hpp>
#include <plait/runtime/lane.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/task/topology.hpp>
#include <plait/trace/chrome_trace.hpp>
#include <plait/trace/critical_path.hpp>
#include <plait/trace/result_parts.hpp>
#include <plait/trace/summary.hpp>
