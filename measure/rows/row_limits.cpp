// SPDX-License-Identifier: BSD-3-Clause
#include "row_limits.hpp"

#include <optional>
#include <vector>

#include "measure/base/limits.hpp"
#include "measure/base/result.hpp"

namespace plait::measure {
namespace {

double median_of(const json& cell, const char* figure) {
  return cell.at(figure).at("median").get<double>();
}

std::vector<double> samples_of(const json& cell, const char* figure) {
  return cell.at(figure).at("samples").get<std::vector<double>>();
}

}  // namespace

void add_limits(json& rows) {
  const json alone = rows.at(alone_row);
  for (const auto& [column, cell] : alone.items()) {
    const std::vector<double> computation = samples_of(cell, "computation_us");
    const std::vector<double> communication = samples_of(cell, "communication_us");
    const bool with_transport = cell.contains("transport_cpu_us");
    std::vector<double> transport;
    if (with_transport) transport = samples_of(cell, "transport_cpu_us");
    if (transport.size() != computation.size())  // not measured each time
      transport.assign(computation.size(),
                       with_transport ? median_of(cell, "transport_cpu_us") : 0.0);
    const auto wire =
        cell.contains("wire_us") ? std::optional(cell.at("wire_us").get<double>()) : std::nullopt;
    std::vector<double> bound, attainable;
    for (std::size_t i = 0; i < computation.size(); ++i) {
      const measured_alone each{computation[i], communication[i], transport[i], wire};
      bound.push_back(bound_s(each));
      attainable.push_back(attainable_s(each));
    }
    const auto add = [&](const char* row, const std::vector<double>& totals) {
      json& added = rows[row][column];
      added["total_us"] = to_json(summarize(totals));
      for (const auto& [name, value] : cell.items())
        if (!value.is_object()) added[name] = value;
    };
    add("bound", bound);
    if (with_transport) add("attainable", attainable);
  }
}

void add_hidden_fraction(json& cell, const json& rows, const std::string& column,
                         const std::string& base_row) {
  if (!rows.contains(base_row) || !rows.contains("bound")) return;
  const double base = median_of(rows.at(base_row).at(column), "total_us");
  const double bound = median_of(rows.at("bound").at(column), "total_us");
  std::vector<double> fractions;
  for (const double total : samples_of(cell, "total_us")) {
    const auto fraction = hidden_fraction(total, base, bound);
    if (!fraction) return;
    fractions.push_back(*fraction);
  }
  cell["hidden_fraction"] = to_json(summarize(fractions));
}

}  // namespace plait::measure
