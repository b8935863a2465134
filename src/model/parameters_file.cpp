// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/model/parameters_file.hpp>

namespace plait::model {
namespace {

using nlohmann::json;

struct member {
  const char* name;
  double parameters::*value;
  bool required;
};
constexpr std::array<member, 10> members{{
    {"latency_s", &parameters::latency_s, true},
    {"send_overhead_s", &parameters::send_overhead_s, true},
    {"receive_overhead_s", &parameters::receive_overhead_s, true},
    {"gap_s", &parameters::gap_s, true},
    {"gap_per_byte_s", &parameters::gap_per_byte_s, true},
    {"overhead_per_byte_s", &parameters::overhead_per_byte_s, false},
    {"eager_limit_bytes", &parameters::eager_limit_bytes, false},
    {"reduction_per_byte_s", &parameters::reduction_per_byte_s, false},
    {"both_ways_per_byte_s", &parameters::both_ways_per_byte_s, false},
    {"copy_per_byte_s", &parameters::copy_per_byte_s, false},
}};

[[nodiscard]] json read_json(const std::string& path) {
  json all = json::parse(read_text_file(path), nullptr, false);
  if (all.is_discarded()) throw usage_error(path + ": is not JSON");
  return all;
}

/// A measurement's: `fit`, whose `segments` are the sizes between two changes of protocol.  The
/// formulas know one g and one G: g and O of the smallest messages, G of the largest.  Not O of
/// those: a blocking call by rendezvous lasts as long as the transfer, which is no processor time.
[[nodiscard]] json network_of(const json& fit) {
  json network = fit;
  const auto segments = fit.find("segments");
  if (segments == fit.end() || !segments->is_array() || segments->empty()) return network;
  const auto copy = [&network](const json& segment, const char* name) {
    if (segment.is_object() && segment.contains(name)) network[name] = segment[name];
  };
  copy(segments->front(), "gap_s");
  copy(segments->front(), "overhead_per_byte_s");
  copy(segments->back(), "gap_per_byte_s");
  return network;
}

void take(const json& from, const member& one, const std::string& path, parameters& to) {
  const auto found = from.find(one.name);
  if (found == from.end()) {
    if (!one.required) return;
    throw usage_error(fmt::format(
        "{}: {} is missing; a network has latency_s, send_overhead_s, receive_overhead_s, gap_s "
        "and gap_per_byte_s",
        path, one.name));
  }
  if (found->is_null() && one.value == &parameters::eager_limit_bytes) return;
  if (!found->is_number()) throw usage_error(fmt::format("{}: {} is no number", path, one.name));
  to.*one.value = found->get<double>();
}

}  // namespace

parameters read_parameters(const std::string& path) {
  const json all = read_json(path);
  if (!all.is_object()) throw usage_error(path + ": is no JSON object");
  json from = all;
  for (const char* name : {"fit", "network"}) {
    const auto inner = all.find(name);
    if (inner == all.end()) continue;
    if (!inner->is_object()) throw usage_error(fmt::format("{}: {} is no object", path, name));
    from = network_of(*inner);
  }
  parameters result;
  for (const member& one : members) take(from, one, path, result);
  try {
    validate(result);
  } catch (const usage_error& refused) {
    throw usage_error(path + ": " + refused.what());
  }
  return result;
}

}  // namespace plait::model
