// SPDX-License-Identifier: BSD-3-Clause
// Predicts how long a program takes on a machine that is not here, from a GOAL file.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/scale.hpp>
#include <plait/simulate/sensitivity.hpp>
#include <plait/trace/result_parts.hpp>

#include "dataflow_answer.hpp"
#include "loggops_answer.hpp"
#include "options.hpp"
#include "ranks_answer.hpp"
#include "topology.hpp"

namespace plait::network::simulate {
namespace {

using json = nlohmann::ordered_json;

[[nodiscard]] json result_of(const request& asked, const json& row) {
  json result = json::parse(result_head("simulation", "bench", "simulate"));
  const auto& network = asked.loggops;
  result["parameters"] = {{"file", asked.file}, {"dialect", "loggops"}, {"L_ns", network.L},
                          {"o_ns", network.o},  {"g_ns", network.g},    {"G_ns", network.G},
                          {"O_ns", network.O},  {"S_bytes", network.S}};
  result["environment"] = json::parse(environment_json({}));
  result["rows"] = json::array({row});
  return result;
}

[[nodiscard]] json result_of_dataflow(const request& asked) {
  json result = json::parse(result_head("simulation", "bench", "simulate"));
  result["parameters"] = {{"file", asked.file},
                          {"dialect", "plait"},
                          {"network", asked.dataflow.networks},
                          {"policy", asked.dataflow.policies},
                          {"nodes", asked.dataflow.nodes},
                          {"bucket_bytes", asked.dataflow.bucket_bytes},
                          {"look_us", asked.dataflow.look_us},
                          {"cores", asked.dataflow.cores}};
  if (asked.dataflow.links) result["parameters"]["topology"] = asked.dataflow.topology_words;
  result["environment"] = json::parse(environment_json({}));
  return result;
}

int answer_dataflow(const request& asked, const plait::simulate::recorded_program& what) {
  const json rows = dataflow_rows(what, asked.dataflow);
  if (!asked.json_file.empty()) {
    json result = result_of_dataflow(asked);
    result["rows"] = rows;
    // Names are a program's own and may be no UTF-8.
    write_text_file(asked.json_file,
                    result.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  }
  if (asked.json_file != "-") print_dataflow_rows(rows);
  return 0;
}

void write_programs(const request& asked, const plait::simulate::program& what) {
  if (!asked.goal_file.empty()) write_text_file(asked.goal_file, goal_text(what));
  if (!asked.binary_file.empty()) write_text_file(asked.binary_file, goal_binary(what));
}

/// Several recordings: a row, or some, for each number of ranks.
int answer_ranks(const request& asked) {
  const ranks_answer found = rows_over_ranks(
      asked, [&](const plait::simulate::program& what) { write_programs(asked, what); });
  if (!asked.json_file.empty()) {
    json result = asked.is_loggops ? result_of(asked, json::object()) : result_of_dataflow(asked);
    result["parameters"]["files"] = asked.files;
    result["rows"] = found.rows;
    result["laws"] = found.laws;
    write_text_file(asked.json_file,
                    result.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  }
  if (asked.json_file != "-") print_rows_over_ranks(found);
  return 0;
}

int run(int argc, char** argv) {
  auto asked = parse(argc, argv);
  if (!asked) return 0;
  if (dataflow_request& of = asked->dataflow; !of.topology_words.empty())
    if (const auto code = prepare_topology(argv, of.topology_words, of.links)) return *code;
  if (!asked->ranks.empty()) return answer_ranks(*asked);
  plait::simulate::recorded_program read = read_either(asked->file, asked->runtime);
  plait::simulate::program& what = read.operations;
  if (asked->grid[0] != 0) what = with_grid(on_periodic_grid(what), asked->grid);
  write_programs(*asked, what);
  if (!asked->linear_program_file.empty())
    write_text_file(asked->linear_program_file, linear_program(what, asked->loggops));
  if (!asked->is_loggops) return answer_dataflow(*asked, read);
  if (asked->finish) print_finish(what, asked->loggops);
  if (asked->finish && asked->json_file.empty()) return 0;
  const json row = loggops_row(what, asked->loggops);
  if (!asked->json_file.empty())
    write_text_file(asked->json_file, result_of(*asked, row).dump(1) + "\n");
  if (asked->json_file != "-" && !asked->finish) print_row(row);
  return 0;
}

/// A line each, with the program's name.
void complain(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    std::fprintf(stderr, "simulate: %.*s\n", static_cast<int>(line.size()), line.data());
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
}

}  // namespace
}  // namespace plait::network::simulate

int main(int argc, char** argv) {
  try {
    return plait::network::simulate::run(argc, argv);
  } catch (const plait::usage_error& refused) {
    plait::network::simulate::complain(refused.what());
    return 2;
  } catch (const std::exception& failed) {
    plait::network::simulate::complain(failed.what());
    return 3;
  }
}
