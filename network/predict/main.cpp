// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of a collective operation on a network of these parameters, by each algorithm.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/model/collective.hpp>
#include <plait/trace/result_parts.hpp>

#include "measure/base/size_list.hpp"
#include "options.hpp"

namespace plait::network::predict {
namespace {

using json = nlohmann::ordered_json;

/// A figure without spread, as result files have them.
[[nodiscard]] json exactly(double value) {
  return {{"median", value}, {"q1", value}, {"q3", value}, {"samples", {value}}};
}

[[nodiscard]] json microseconds(const model::collective_cost& cost) {
  return {{"total_us", exactly(1e6 * cost.total_s)},
          {"processor_us", exactly(1e6 * cost.processor_s)},
          {"network_us", exactly(1e6 * cost.network_s())}};
}

[[nodiscard]] model::call_shape shape_of(const request& asked, int ranks, std::size_t size) {
  return {.ranks = ranks,
          .size_bytes = static_cast<double>(size),
          .fragment_bytes = static_cast<double>(asked.fragment_bytes),
          .degree = asked.degree};
}

[[nodiscard]] json cell_of(const request& asked, model::algorithm how,
                           const model::call_shape& shape) {
  json cell = microseconds(model::cost(asked.what, how, asked.network, shape));
  cell["cheapest"] = model::cheapest(asked.what, asked.network, shape).how == how;
  const auto libnbc = model::libnbc_choice(asked.what, shape.ranks, shape.size_bytes);
  cell["libnbc"] = libnbc.has_value() && libnbc->how == how;
  return cell;
}

[[nodiscard]] json published_cell_of(const request& asked, const model::call_shape& shape) {
  json cell = microseconds(model::libnbc_published(asked.what, asked.network, shape).value());
  cell["cheapest"] = false;  // it is no algorithm of its own
  cell["libnbc"] = false;
  return cell;
}

/// row["8 ranks"]["4KiB"], by what computes a cell from its shape.
[[nodiscard]] json row_of(const request& asked, const auto& cell) {
  json row = json::object();
  for (const int ranks : asked.ranks)
    for (const std::size_t size : asked.sizes)
      row[fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s")][measure::size_label(size)] =
          cell(shape_of(asked, ranks, size));
  return row;
}

/// rows[algorithm]["8 ranks"]["4KiB"]; `cheapest` is among all algorithms of the operation.
[[nodiscard]] json rows_of(const request& asked) {
  json rows = json::object();
  for (const model::algorithm how : asked.algorithms)
    rows[std::string(model::to_string(how))] =
        row_of(asked, [&](const model::call_shape& shape) { return cell_of(asked, how, shape); });
  if (asked.as_published)
    rows["as published"] = row_of(
        asked, [&](const model::call_shape& shape) { return published_cell_of(asked, shape); });
  return rows;
}

[[nodiscard]] json parameters_of(const request& asked) {
  const model::parameters& network = asked.network;
  json all{{"operation", model::to_string(asked.what)},
           {"ranks", asked.ranks},
           {"size_bytes", asked.sizes},
           {"fragment_bytes", asked.fragment_bytes}};
  if (asked.degree > 0) all["degree"] = asked.degree;
  if (!asked.network_file.empty()) all["network_file"] = asked.network_file;
  all["latency_s"] = network.latency_s;
  all["send_overhead_s"] = network.send_overhead_s;
  all["receive_overhead_s"] = network.receive_overhead_s;
  all["gap_s"] = network.gap_s;
  all["gap_per_byte_s"] = network.gap_per_byte_s;
  all["overhead_per_byte_s"] = network.overhead_per_byte_s;
  all["reduction_per_byte_s"] = network.reduction_per_byte_s;
  all["both_ways_per_byte_s"] = network.both_ways_per_byte_s;
  all["copy_per_byte_s"] = network.copy_per_byte_s;
  if (std::isfinite(network.eager_limit_bytes)) {
    all["eager_limit_bytes"] = network.eager_limit_bytes;
  }
  return all;
}

[[nodiscard]] json result_of(const request& asked) {
  json result = json::parse(result_head("prediction", "bench", "predict"));
  result["parameters"] = parameters_of(asked);
  result["environment"] = json::parse(environment_json({}));
  result["rows"] = rows_of(asked);
  return result;
}

void print(const json& result) {
  std::printf("%-20s %-12s %-8s %12s %12s %12s\n", "algorithm", "ranks", "size", "total us",
              "processor us", "network us");
  for (const auto& [how, by_ranks] : result["rows"].items()) {
    for (const auto& [ranks, by_size] : by_ranks.items()) {
      for (const auto& [size, cell] : by_size.items()) {
        const auto figure = [&cell](const char* name) {
          return cell.at(name).at("median").get<double>();
        };
        std::printf("%-20s %-12s %-8s %12.5g %12.5g %12.5g%s\n", how.c_str(), ranks.c_str(),
                    size.c_str(), figure("total_us"), figure("processor_us"), figure("network_us"),
                    cell.at("cheapest").get<bool>() ? "  *" : "");
      }
    }
  }
}

int run(int argc, char** argv) {
  const auto asked = parse(argc, argv);
  if (!asked) return 0;
  const std::string& path = asked->json_file;
  if (const std::string why = path.empty() ? "" : why_not_writable(path); !why.empty())
    throw usage_error(fmt::format("--json: cannot write '{}': {}", path, why));
  const json result = result_of(*asked);
  if (!path.empty()) write_text_file(path, result.dump(1) + "\n");
  if (path != "-") print(result);
  return 0;
}

}  // namespace
}  // namespace plait::network::predict

int main(int argc, char** argv) {
  try {
    return plait::network::predict::run(argc, argv);
  } catch (const plait::usage_error& refused) {
    std::fprintf(stderr, "predict: %s\n", refused.what());
    return 2;
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "predict: %s\n", failed.what());
    return 3;
  }
}
