// SPDX-License-Identifier: BSD-3-Clause
/// Reads a network's parameters from a JSON file, such as a measurement leaves behind.
#pragma once

#include <string>

#include <plait/model/parameters.hpp>

namespace plait::model {

/// Reads the parameters in a file: an object with the members of `parameters` by their names,
/// numbers in seconds and bytes, or one that has such an object as its member `network`, or `fit`
/// as a measurement writes it: there g and O are those of the first of its `segments`, which are by
/// ascending size, and G is that of the last.  latency_s, send_overhead_s, receive_overhead_s,
/// gap_s and gap_per_byte_s must be there; the others may be missing; eager_limit_bytes may be
/// null: no message is sent by rendezvous.  Other members are not looked at.  Errors: usage_error,
/// one line that names the file, for one that cannot be read, is not JSON, or has no such object,
/// and for parameters that `validate` refuses.
///
///     {"network": {"latency_s": 2e-5, "send_overhead_s": 1e-6, "receive_overhead_s": 1.2e-6,
///                  "gap_s": 2e-6, "gap_per_byte_s": 8e-9}}
[[nodiscard]] parameters read_parameters(const std::string& path);

}  // namespace plait::model
