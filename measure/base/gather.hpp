// SPDX-License-Identifier: BSD-3-Clause
/// Small values shared by all ranks, outside of what is measured.  All functions are collective and
/// block.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <plait/plait.hpp>

namespace plait::measure {

/// Objects keep the order in which their members were added.
using json = nlohmann::ordered_json;

/// Every rank's value on rank 0, by rank; empty elsewhere.
[[nodiscard]] std::vector<json> gather(environment& env, const json& value);

/// The text of rank 0 on every rank.
[[nodiscard]] std::string broadcast(environment& env, const std::string& text);

[[nodiscard]] double maximum(environment& env, double value);
[[nodiscard]] double sum(environment& env, double value);
[[nodiscard]] bool all_of(environment& env, bool value);
/// The samples of the rank whose median is largest, the one the others wait for, on rank 0; empty
/// elsewhere.
[[nodiscard]] std::vector<double> of_slowest_rank(environment& env, const std::vector<double>& own);

/// Returns what leaves the host whose ranks send most to other hosts, if this rank sends `bytes`
/// there.
[[nodiscard]] double busiest_host_bytes(environment& env, double bytes);

/// Every rank's value on every rank.
[[nodiscard]] std::vector<double> all_values(environment& env, double value);

}  // namespace plait::measure
