// SPDX-License-Identifier: BSD-3-Clause
/// Gives each message between two ranks a tag that no other has, by the order of operations.
#pragma once

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// The k-th send from a rank to another with a tag meets the k-th receive, in the order of the
/// templates; a receive becomes as long as its send.  Precondition: one template a rank, each peer
/// a rank.  Errors: usage_error for a message with one side.
void pair_messages(program& of);

/// Numbers the tags between each two ranks, by the order in which the sender first uses them.  Tags
/// that name a rank are equal on all ranks then.  Precondition: as above.
void number_tags_by_pair(program& of);

}  // namespace plait::simulate
