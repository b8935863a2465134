// SPDX-License-Identifier: BSD-3-Clause
/// Checks of a collective call that one rank can make alone.  Checks that take two ranks:
/// collective_agreement.hpp.
#pragma once

#include <string>
#include <vector>

#include <plait/collective/shape.hpp>
#include <plait/runtime/collective_options.hpp>

namespace plait {

/// "allreduce 'total'"
[[nodiscard]] std::string label_of(const collective_call& call);

/// Throws usage_error "allreduce 'total': why".
[[noreturn]] void refuse(const collective_call& call, const std::string& why);

/// Bytes that a call reads (`in`) or writes (`out`).
struct touched_range {
  byte_range bytes;
  access_mode mode;
};
/// In the order of their beginnings.
[[nodiscard]] std::vector<touched_range> touched_ranges(const collective_call& call,
                                                        const collective::footprint& touched);

/// `shape`: that of the call, with `rank` and `ranks`.  Afterwards the preconditions of
/// `collective::build` hold, and the buffers are as large as the header says.  Errors: usage_error.
void expect_fits(const collective_call& call, const collective::shape& shape);

}  // namespace plait
