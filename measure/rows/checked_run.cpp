// SPDX-License-Identifier: BSD-3-Clause
#include "checked_run.hpp"

#include <algorithm>
#include <cstdio>

namespace plait::measure {

json figures_of(environment& env, const checked_run& got, int parts, double operations) {
  json figures{{"total_us", 1e6 * got.total_s / parts}};
  if (got.exposed_s) figures["exposed_us"] = 1e6 * sum(env, *got.exposed_s) / env.size() / parts;
  figures["gflops"] = 1e-9 * operations / got.total_s;
  return figures;
}

void row_findings::note(const std::string& row, const std::string& column, const checked_run& got) {
  finding& so_far = found_[{row, column}];
  const bool verified = all_of(env_, got.found.verified);
  if (!got.found.verified && so_far.verified)
    std::fprintf(stderr, "%s: %s, %s: %s\n", program_.c_str(), row.c_str(), column.c_str(),
                 got.found.complaint.c_str());
  so_far.verified = so_far.verified && verified;
  so_far.max_error = std::max(so_far.max_error, maximum(env_, got.found.max_error));
  so_far.error_bound = got.error_bound;
}

bool row_findings::add_to(json& rows) const {
  bool verified = true;
  for (const auto& [place, found] : found_) {
    json& cell = rows[place.first][place.second];
    cell["verified"] = found.verified;
    cell["max_error"] = found.max_error;
    cell["error_bound"] = found.error_bound;
    verified = verified && found.verified;
  }
  return verified;
}

}  // namespace plait::measure
