// SPDX-License-Identifier: BSD-3-Clause
/// The objects behind the handles of plait.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include <plait/comm/communicator.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/exposed_memory.hpp>
#include <plait/comm/mpi.hpp>
#include <plait/mover/move_plan.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/task/event.hpp>
#include <plait/task/graph.hpp>
#include <plait/task/hold.hpp>
#include <plait/task/resource.hpp>

#include "c/exported.hpp"

struct plait_comm {
  plait::communicator among;
};

struct plait_resource {
  plait::resource threads;
};

struct plait_graph {
  plait_runtime* owner;
  std::optional<plait::graph> recorded;  ///< nothing once the runtime has ended
};

struct plait_mover {
  plait_runtime* owner;
  std::optional<plait::move_plan> plan;  ///< nothing once the runtime has ended
};

struct plait_window {
  plait_runtime* owner;
  std::shared_ptr<plait::exposed_memory> memory;
};

struct plait_event {
  std::uint64_t owner;  ///< number of the runtime: an address may be that of a later one
  std::optional<plait::event<void>> end;
};

struct plait_hold {
  plait::hold until;
};

/// One runtime with its environment.  Its members are the submitting thread's.
struct plait_runtime {
  explicit plait_runtime(const plait::guest_of& program) : env(program) {}

  [[nodiscard]] plait::submitter& to() noexcept { return joined->submitter(); }

  plait::environment env;
  std::optional<plait::runtime> joined;
  std::vector<std::unique_ptr<plait_comm>> communicators;
  std::vector<std::unique_ptr<plait_resource>> resources;
  std::unordered_set<plait_graph*> graphs;
  std::unordered_set<plait_mover*> movers;
  int windows = 0;  ///< open ones
};
