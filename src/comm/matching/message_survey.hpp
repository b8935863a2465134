// SPDX-License-Identifier: BSD-3-Clause
/// Lists the messages of an engine; see `engine::survey`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>
#include <plait/comm/served_window.hpp>

#include "comm/engine/transfer.hpp"
#include "comm/matching/matching_space.hpp"

namespace plait {

/// The parts of an engine that are looked at.
struct survey_scope {
  const transfer_set& transfers;
  const std::vector<matching_space*>& spaces;
  const std::vector<operation*>& held_back;
  const std::vector<served_window*>& windows;
  const std::function<std::string(const operation&)>& name_of;
  int largest_tag = 0;  ///< of the program
  int residues;
};

/// The thread that enqueues, holding the token.  Why it races with nobody: channels are made and
/// places taken by this thread; operations that were posted, and have not been completed, belong to
/// the holder of the token.  Errors: MPI errors.
[[nodiscard]] message_survey survey_messages(const survey_scope& scope);

}  // namespace plait
