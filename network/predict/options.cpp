// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/model/parameters_file.hpp>

#include "measure/base/parse_line.hpp"
#include "measure/base/size_list.hpp"

namespace plait::network::predict {
namespace {

constexpr int most_ranks = 10'000'000;

/// The command line, word for word.
struct words {
  std::string operation;
  std::vector<std::string> ranks;
  std::string sizes = "8";
  std::string algorithm = "all";
  std::string fragment = "8KiB";
  int degree = 0;
  bool as_published = false;
  std::string network;
  std::string json;
  std::string eager_limit;
};

/// A parameter by itself: on its own, or in place of the file's.
struct figure {
  const char* option;
  double per_s;   ///< of its unit
  bool required;  ///< where there is no file
  const char* help;
  std::array<double model::parameters::*, 2> fields;
  double value = 0;
};

[[nodiscard]] std::vector<figure> figures() {
  using p = model::parameters;
  return {
      {"--latency-us", 1e6, true, "L", {&p::latency_s, nullptr}},
      {"--overhead-us",
       1e6,
       true,
       "o, of a send and of a receive",
       {&p::send_overhead_s, &p::receive_overhead_s}},
      {"--gap-us", 1e6, true, "g, between two messages", {&p::gap_s, nullptr}},
      {"--gap-per-byte-ns", 1e9, true, "G, 1 / bandwidth", {&p::gap_per_byte_s, nullptr}},
      {"--overhead-per-byte-ns",
       1e9,
       false,
       "O, processor time per byte",
       {&p::overhead_per_byte_s, nullptr}},
      {"--reduction-per-byte-ns",
       1e9,
       false,
       "γ, to combine two operands, per byte of one",
       {&p::reduction_per_byte_s, nullptr}},
      {"--both-ways-per-byte-ns",
       1e9,
       false,
       "G2, as G where both sides send at once; G if left out",
       {&p::both_ways_per_byte_s, nullptr}},
      {"--copy-per-byte-ns",
       1e9,
       false,
       "κ, to copy a byte within a rank",
       {&p::copy_per_byte_s, nullptr}},
  };
}

[[nodiscard]] bool parse_words(int argc, char** argv, words& given, std::vector<figure>& network) {
  CLI::App app("What a collective operation costs, by the formulas of docs/internals/model.md",
               "predict");
  app.add_option("operation", given.operation, model::operation_names())->required();
  app.add_option("--ranks", given.ranks, "Numbers of ranks: 2,8,64")->required()->delimiter(',');
  app.add_option("--sizes", given.sizes, "Sizes: 8,64KiB,1MiB")->capture_default_str();
  app.add_option("--algorithm", given.algorithm, "One by its name, or all")->capture_default_str();
  app.add_option("--network", given.network, "JSON file with the network's parameters");
  for (figure& one : network) app.add_option(one.option, one.value, one.help);
  app.add_option("--eager-limit", given.eager_limit, "S, the largest message without handshake");
  app.add_option("--fragment", given.fragment, "Fragments of a chain")->capture_default_str();
  app.add_option("--degree", given.degree, "Neighbours of a rank, for neighbour_exchange");
  app.add_flag("--as-published", given.as_published,
               "Adds what the formulas say that LibNBC's authors published");
  app.add_option("--json", given.json, "File for the result; - = standard output");
  if (!measure::parse_line<usage_error>(app, argc, argv)) return false;
  std::erase_if(network, [&](const figure& one) { return app.count(one.option) == 0; });
  return true;
}

[[nodiscard]] model::parameters network_of(const words& given, const std::vector<figure>& said) {
  model::parameters network;
  if (!given.network.empty()) network = model::read_parameters(given.network);
  for (const figure& one : figures()) {
    const auto found = std::ranges::find(said, std::string_view(one.option), [](const figure& f) {
      return std::string_view(f.option);
    });
    if (found == said.end()) {
      if (!one.required || !given.network.empty()) continue;
      throw usage_error(fmt::format(
          "{} is missing; give --network FILE, or --latency-us, --overhead-us, --gap-us and "
          "--gap-per-byte-ns",
          one.option));
    }
    for (double model::parameters::*field : one.fields) {
      if (field != nullptr) network.*field = found->value / one.per_s;
    }
  }
  if (!given.eager_limit.empty()) {
    const auto limits = measure::parse_sizes("--eager-limit", given.eager_limit, 1);
    if (limits.size() != 1) throw usage_error("--eager-limit is one size, such as 64KiB");
    network.eager_limit_bytes = static_cast<double>(limits.front());
  }
  model::validate(network);
  return network;
}

[[nodiscard]] model::operation operation_of(const std::string& name) {
  if (const auto what = model::operation_from(name)) return *what;
  throw usage_error(
      fmt::format("there is no operation '{}'; there are {}", name, model::operation_names()));
}

[[nodiscard]] std::vector<model::algorithm> algorithms_of(model::operation what,
                                                          const std::string& name) {
  const std::vector<model::algorithm> all = model::algorithms_of(what);
  if (name == "all") return all;
  const auto how = model::algorithm_from(name);
  if (how && std::ranges::find(all, *how) != all.end()) return {*how};
  throw usage_error(fmt::format("--algorithm knows no '{}' for {}; it can be all, {}", name,
                                model::to_string(what), model::algorithm_names(what)));
}

[[nodiscard]] std::vector<int> ranks_of(const std::vector<std::string>& given) {
  std::vector<int> all;
  for (const std::string& word : given) {
    int ranks = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), ranks);
    if (failed != std::errc{} || end != word.data() + word.size() || ranks < 1 ||
        ranks > most_ranks) {
      throw usage_error(
          fmt::format("--ranks: '{}' is no number from 1 to {}; write 2,8,64", word, most_ranks));
    }
    if (std::ranges::find(all, ranks) != all.end())
      throw usage_error(fmt::format("--ranks names {} twice", ranks));
    all.push_back(ranks);
  }
  return all;
}

}  // namespace

std::optional<request> parse(int argc, char** argv) {
  words given;
  std::vector<figure> network = figures();
  if (!parse_words(argc, argv, given, network)) return std::nullopt;
  request result;
  result.what = operation_of(given.operation);
  result.algorithms = algorithms_of(result.what, given.algorithm);
  result.ranks = ranks_of(given.ranks);
  result.sizes = measure::parse_sizes("--sizes", given.sizes, 1);
  const auto fragments = measure::parse_sizes("--fragment", given.fragment, 1);
  if (fragments.size() != 1) throw usage_error("--fragment takes one size, such as 8KiB");
  result.fragment_bytes = fragments.front();
  result.degree = given.degree;
  const bool among_neighbours = result.what == model::operation::neighbour_exchange;
  if (among_neighbours != (given.degree > 0)) {
    throw usage_error(among_neighbours
                          ? "--degree is missing: how many neighbours a rank has, 1 or more"
                          : "--degree is for neighbour_exchange only");
  }
  result.as_published = given.as_published;
  if (given.as_published && !model::libnbc_published(result.what, {}, {.ranks = 1})) {
    throw usage_error(fmt::format(
        "--as-published: LibNBC's authors published no formula for {}; there is one for barrier, "
        "bcast and allreduce",
        model::to_string(result.what)));
  }
  result.network = network_of(given, network);
  result.network_file = given.network;
  result.json_file = given.json;
  return result;
}

}  // namespace plait::network::predict
