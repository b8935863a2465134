// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>

#include "measure/base/parse_line.hpp"

namespace plait::network::simulate {

std::optional<request> parse(int argc, char** argv) {
  request asked;
  std::string dialect = "loggops";
  std::string network;
  CLI::App app("How long a program takes on a machine that is not here", "simulate");
  app.add_option("file", asked.file, "GOAL file, text or binary")->required();
  app.add_option("--dialect", dialect, "loggops: as LogGOPSim")->capture_default_str();
  app.add_option("--loggops", network,
                 "L=2500,o=1500,g=1000,G=6,O=0,S=65535: ns, ns a byte, bytes");
  app.add_flag("--finish", asked.finish, "Print each rank's finish time in ns, and nothing else");
  app.add_option("--json", asked.json_file, "File for the result; - = standard output");
  app.add_option("--write-goal", asked.goal_file, "File for the program as GOAL text");
  app.add_option("--write-binary", asked.binary_file, "File for the program in GOAL's binary form");
  app.add_option("--write-lp", asked.linear_program_file,
                 "File for the run as a linear program, its order frozen");
  if (!measure::parse_line<usage_error>(app, argc, argv)) return std::nullopt;
  if (dialect != "loggops")
    throw usage_error(fmt::format("--dialect: there is no '{}'; there is loggops", dialect));
  asked.loggops = plait::simulate::parse_loggops(network);
  if (asked.finish && asked.json_file == "-")
    throw usage_error("--finish and --json - both want standard output; name a file");
  const std::pair<const char*, const std::string*> files[] = {
      {"--json", &asked.json_file},
      {"--write-goal", &asked.goal_file},
      {"--write-binary", &asked.binary_file},
      {"--write-lp", &asked.linear_program_file}};
  for (const auto& [option, path] : files)
    if (const std::string why = path->empty() ? "" : why_not_writable(*path); !why.empty())
      throw usage_error(fmt::format("{}: cannot write '{}': {}", option, *path, why));
  return asked;
}

}  // namespace plait::network::simulate
