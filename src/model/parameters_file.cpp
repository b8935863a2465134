// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <plait/core/error.hpp>
#include <plait/model/parameters_file.hpp>

namespace plait::model {
namespace {

using nlohmann::json;

struct member {
  const char* name;
  double parameters::*value;
  bool required;
};
constexpr std::array<member, 8> members{{
    {"latency_s", &parameters::latency_s, true},
    {"send_overhead_s", &parameters::send_overhead_s, true},
    {"receive_overhead_s", &parameters::receive_overhead_s, true},
    {"gap_s", &parameters::gap_s, true},
    {"gap_per_byte_s", &parameters::gap_per_byte_s, true},
    {"overhead_per_byte_s", &parameters::overhead_per_byte_s, false},
    {"eager_limit_bytes", &parameters::eager_limit_bytes, false},
    {"reduction_per_byte_s", &parameters::reduction_per_byte_s, false},
}};

[[nodiscard]] json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw usage_error(path + ": cannot be read");
  json all = json::parse(file, nullptr, false);
  if (all.is_discarded()) throw usage_error(path + ": is not JSON");
  return all;
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
  const auto inner = all.find("network");
  const json& from = inner != all.end() ? *inner : all;
  if (!from.is_object()) throw usage_error(path + ": network is no object");
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
