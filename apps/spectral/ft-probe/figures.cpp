// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ft_probe {
namespace {

using plait::measure::json;

/// Cells that fulfil something, in the order of the result, columns first.
using wanted_cell = std::function<bool(const json&)>;

std::vector<json> cells_of(const json& rows, const wanted_cell& wanted) {
  std::vector<json> found;
  for (const auto& [column, unused] : rows.front().items())
    for (const auto& [row, cells] : rows.items())
      if (cells.contains(column) && wanted(cells[column])) found.push_back(cells[column]);
  return found;
}

/// The different values of a member, in their order.
std::vector<std::string> values_of(const std::vector<json>& cells, const char* member) {
  std::vector<std::string> values;
  for (const json& one : cells) {
    const auto value = one[member].get<std::string>();
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

/// As the paper labels its bars.
std::string short_name(const std::string& algorithm) {
  if (algorithm == "exchange") return "E";
  if (algorithm == "slabs") return "S";
  return algorithm == "pencils" ? "P" : algorithm;
}

double median(const json& cell, const char* figure) {
  return cell[figure]["median"].get<double>();
}

json measured_bar(const json& cell, const std::string& name) {
  return {{"name", name},
          {"total_s", cell["total_s"]},
          {"parts_s", {{"local computation", median(cell, "computation_s")},
                       {"comm init", median(cell, "comm_init_s")},
                       {"comm sync", median(cell, "comm_sync_s")},
                       {"barrier", median(cell, "barrier_s")}}},
          {"verified", cell["verified"]}};
}

/// The model's three pieces of what was measured: waiting is Comm Sync and Barrier.
json actual_bar(const json& cell) {
  return {{"name", "A"},
          {"total_s", cell["total_s"]},
          {"parts_s", {{"local computation", median(cell, "computation_s")},
                       {"comm init", median(cell, "comm_init_s")},
                       {"wait", median(cell, "comm_sync_s") + median(cell, "barrier_s")}}},
          {"verified", cell["verified"]}};
}

double error_of_total(const json& cell) {
  return cell["model"]["total_s"].get<double>() / median(cell, "total_s") - 1;
}

json modelled_bar(const json& cell) {
  const json& model = cell["model"];
  const json& total = model["total_s"];
  return {{"name", "M"},
          {"total_s", {{"median", total}, {"q1", total}, {"q3", total}, {"samples", {total}}}},
          {"parts_s", {{"local computation", model["computation_s"]},
                       {"comm init", model["comm_init_s"]},
                       {"wait", model["wait_s"]}}},
          {"verified", nullptr},
          {"error", error_of_total(cell)}};
}

/// Appends a bar to the group of that name, which is the last one or new.
void add_bar(json& groups, const std::string& group, json bar) {
  if (groups.empty() || groups.back()["name"] != group)
    groups.push_back({{"name", group}, {"bars", json::array()}});
  groups.back()["bars"].push_back(std::move(bar));
}

json measured_figure(const std::vector<json>& cells, const std::string& title) {
  json groups = json::array();
  for (const json& one : cells)
    add_bar(groups, one["circumstance"], measured_bar(one, short_name(one["algorithm"])));
  return {{"title", title},
          {"parts", {"local computation", "comm init", "comm sync", "barrier"}},
          {"groups", std::move(groups)}};
}

json model_figure(const std::vector<json>& cells, const std::string& title) {
  json groups = json::array();
  for (const json& one : cells) {
    add_bar(groups, one["circumstance"], modelled_bar(one));
    add_bar(groups, one["circumstance"], actual_bar(one));
  }
  return {{"title", title},
          {"parts", {"local computation", "comm init", "wait"}},
          {"groups", std::move(groups)}};
}

json computation_figure(const std::vector<json>& cells) {
  json groups = json::array();
  for (const std::string& algorithm : values_of(cells, "algorithm"))
    for (const json& one : cells) {
      if (one["algorithm"] != algorithm) continue;
      json bar{{"name", one["way"] == "none" ? json("alone") : one["way"]},
               {"total_s", one["computation_s"]},
               {"parts_s", {{"local computation", median(one, "computation_s")}}},
               {"verified", one["verified"]}};
      add_bar(groups, algorithm, std::move(bar));
    }
  return {{"title", fmt::format("Local computation, {}", cells.front()["shape"].get<std::string>())},
          {"parts", {"local computation"}},
          {"groups", std::move(groups)}};
}

/// The cells of a way, cut into figures: by shape, or together where each shape has one group.
std::vector<std::vector<json>> figures_cells(const json& rows, const std::string& way) {
  const std::vector<json> all =
      cells_of(rows, [&](const json& one) { return one["way"] == way; });
  const std::vector<std::string> shapes = values_of(all, "shape");
  if (shapes.size() == values_of(all, "circumstance").size()) return {all};
  std::vector<std::vector<json>> parts;
  for (const std::string& shape : shapes)
    parts.push_back(cells_of(rows, [&](const json& one) {
      return one["way"] == way && one["shape"] == shape;
    }));
  return parts;
}

std::vector<std::string> ways_of(const json& rows) {
  return values_of(cells_of(rows, [](const json&) { return true; }), "way");
}

double exchange_s(const json& rows, const json& cell) {
  for (const json& one : cells_of(rows, [&](const json& other) {
         return other["way"] == cell["way"] && other["circumstance"] == cell["circumstance"] &&
                other["algorithm"] == "exchange";
       }))
    return median(one, "total_s");
  return 0;
}

/// "put, R=512 N=8192, ratio 1: 64 messages take 0.75 of Exchange, slabs 0.78, …"
std::string comparison_sentence(const json& rows, const std::vector<json>& group) {
  const double base_s = exchange_s(rows, group.front());
  std::string said;
  double least = 1;
  std::string best = "exchange";
  double computation_s = 0;
  for (const json& one : group) {
    const std::string algorithm = one["algorithm"];
    const double share = median(one, "total_s") / base_s;
    if (algorithm == "exchange") {
      computation_s = median(one, "computation_s");
      continue;
    }
    said += fmt::format("{}{} {:.3f}", said.empty() ? "" : ", ", algorithm, share);
    if (share < least) {
      least = share;
      best = algorithm;
    }
  }
  const double communication_s =
      group.front().value("communication_s", 0.0);  // of Exchange, which comes first
  const std::string quotient =
      computation_s > 0 && communication_s > 0
          ? fmt::format(", communication : computation {:.2f}", communication_s / computation_s)
          : "";
  return fmt::format("{}, {}{}: of Exchange's time {}; best is {}",
                     group.front()["way"].get<std::string>(),
                     group.front()["circumstance"].get<std::string>(), quotient, said, best);
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string model_sentence(const std::vector<json>& cells, const std::string& way) {
  std::vector<double> totals, initiations, waits;
  for (const json& one : cells) {
    const json& model = one["model"];
    const double total_s = median(one, "total_s");
    const double wait_s = median(one, "comm_sync_s") + median(one, "barrier_s");
    totals.push_back(std::abs(error_of_total(one)));
    initiations.push_back(
        std::abs(model["comm_init_s"].get<double>() - median(one, "comm_init_s")) / total_s);
    waits.push_back(std::abs(model["wait_s"].get<double>() - wait_s) / total_s);
  }
  return fmt::format(
      "{}: the model's total errs by {:.1f} % (median) and {:.1f} % at most; of the measured total, "
      "initiation errs by {:.1f} % and {:.1f} %, waiting by {:.1f} % and {:.1f} %",
      way, 100 * median_of(totals), 100 * std::ranges::max(totals), 100 * median_of(initiations),
      100 * std::ranges::max(initiations), 100 * median_of(waits), 100 * std::ranges::max(waits));
}

std::string network_sentence(const json& cell) {
  const json& network = cell["network"];
  return fmt::format("{} {}, {}: o {:.2f} µs, g {:.2f} µs, G {:.3f} ns a byte",
                     cell["way"].get<std::string>(), cell["algorithm"].get<std::string>(),
                     cell["shape"].get<std::string>(), 1e6 * network["overhead_s"].get<double>(),
                     1e6 * network["gap_s"].get<double>(),
                     1e9 * network["gap_per_byte_s"].get<double>());
}

/// The runs that end before the model's bound by more than their spread.
void add_beaten_bounds(const std::vector<json>& cells, json& to) {
  for (const json& one : cells) {
    const double bound_s = one["model"]["bound_s"];
    const double spread_s =
        one["total_s"]["q3"].get<double>() - one["total_s"]["q1"].get<double>();
    if (median(one, "total_s") + spread_s < bound_s)
      to.push_back(fmt::format("{} {}, {} takes {:.3f} of the model's bound",
                               one["way"].get<std::string>(), one["algorithm"].get<std::string>(),
                               one["circumstance"].get<std::string>(),
                               median(one, "total_s") / bound_s));
  }
}

/// "put slabs, R=512 N=8192, scale 1: local computation takes 1.20 of its time alone"
void add_slower_computation(const json& rows, json& to) {
  for (const json& alone : cells_of(rows, [](const json& one) { return one["way"] == "none"; }))
    for (const json& one : cells_of(rows, [&](const json& other) {
           return other["way"] != "none" && other["algorithm"] == alone["algorithm"] &&
                  other["circumstance"] == alone["circumstance"];
         }))
      if (median(alone, "computation_s") > 0)
        to.push_back(fmt::format(
            "{} {}, {}: local computation takes {:.3f} of its time alone",
            one["way"].get<std::string>(), one["algorithm"].get<std::string>(),
            one["circumstance"].get<std::string>(),
            median(one, "computation_s") / median(alone, "computation_s")));
}

}  // namespace

json figures_of(const json& rows) {
  json figures = json::array();
  for (const std::string& way : ways_of(rows))
    for (const std::vector<json>& cells : figures_cells(rows, way))
      figures.push_back(measured_figure(cells, way == "none" ? "Nothing travels" : "By " + way));
  for (const std::string& way : ways_of(rows))
    for (const std::vector<json>& cells : figures_cells(rows, way))
      for (const std::string& algorithm : values_of(cells, "algorithm")) {
        std::vector<json> own;
        for (const json& one : cells)
          if (one["algorithm"] == algorithm && one.contains("model")) own.push_back(one);
        if (!own.empty())
          figures.push_back(model_figure(
              own, fmt::format("The model beside the measurement: {} by {}", algorithm, way)));
      }
  const std::vector<json> all = cells_of(rows, [](const json&) { return true; });
  const std::vector<json> alone =
      cells_of(rows, [](const json& one) { return one["way"] == "none"; });
  for (const std::string& circumstance : values_of(alone, "circumstance"))
    if (alone.size() < all.size())
      figures.push_back(computation_figure(cells_of(rows, [&](const json& one) {
        return one["circumstance"] == circumstance;
      })));
  return figures;
}

json sentences_of(const json& rows) {
  json said = json::array();
  for (const std::string& way : ways_of(rows)) {
    const std::vector<json> cells =
        cells_of(rows, [&](const json& one) { return one["way"] == way; });
    for (const std::string& circumstance : values_of(cells, "circumstance")) {
      const std::vector<json> group = cells_of(rows, [&](const json& one) {
        return one["way"] == way && one["circumstance"] == circumstance;
      });
      if (group.size() > 1 && exchange_s(rows, group.front()) > 0)
        said.push_back(comparison_sentence(rows, group));
    }
    if (way == "none") continue;
    said.push_back(model_sentence(cells, way));
    for (const std::string& shape : values_of(cells, "shape"))
      for (const std::string& algorithm : values_of(cells, "algorithm"))
        said.push_back(network_sentence(cells_of(rows, [&](const json& one) {
          return one["way"] == way && one["shape"] == shape && one["algorithm"] == algorithm;
        }).front()));
    add_beaten_bounds(cells, said);
  }
  add_slower_computation(rows, said);
  return said;
}

}  // namespace ft_probe
