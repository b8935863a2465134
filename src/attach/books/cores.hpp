// SPDX-License-Identifier: BSD-3-Clause
/// Notes which cores this rank has, and how long it waited for one.
#pragma once

#include "attach/books/profile_data.hpp"

namespace plait::attach {

/// Of the process's first thread.  When MPI has started, and before it ends.
void note_cores(profile_header& to) noexcept;
void note_queued(profile_header& to) noexcept;

}  // namespace plait::attach
