// SPDX-License-Identifier: BSD-3-Clause
/// Brings the ranks' profiles together and writes what the environment asks for.
#pragma once

#include "attach/books/session.hpp"

namespace plait::attach {

/// Gathers the profiles of all ranks and writes the result on rank 0.  Collective, before MPI ends.
void collect_and_write(session& of);
/// Writes the result from the files of the ranks on this machine, and removes the files: the
/// launcher ends the other ranks, which leave nothing behind.  For one process alone, where MPI
/// cannot be called any more.  Of several ranks of a machine the first that does so speaks for all.
void write_what_is_known(session& of, bool prints) noexcept;

}  // namespace plait::attach
