// SPDX-License-Identifier: BSD-3-Clause
/// Brings the ranks' profiles together and writes what the environment asks for.
#pragma once

#include "attach/session.hpp"

namespace plait::attach {

/// Collective, before MPI ends: rank 0 writes.
void collect_and_write(session& of);
/// Of this process alone, where MPI cannot be called any more: from the files of the ranks on this
/// machine.  The last of several ranks that do so stays.
void write_what_is_known(session& of, bool prints) noexcept;

}  // namespace plait::attach
