// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/loggops.hpp>

#include "lanes_engine.hpp"
#include "plain_engine.hpp"
#include "unrolled_program.hpp"

namespace plait::simulate {

loggops_parameters parse_loggops(std::string_view text) {
  loggops_parameters read;
  const std::pair<std::string_view, std::uint64_t*> places[] = {{"L=", &read.L}, {"o=", &read.o},
                                                                {"g=", &read.g}, {"G=", &read.G},
                                                                {"O=", &read.O}, {"S=", &read.S}};
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto* place = std::ranges::find_if(
        places, [part](const auto& one) { return part.starts_with(one.first); });
    const char* end = part.data() + part.size();
    std::uint32_t value = 0;  // as LogGOPSim has them: products fit then
    std::from_chars_result number{nullptr, std::errc::invalid_argument};
    if (place != std::end(places)) number = std::from_chars(part.data() + 2, end, value);
    if (number.ec != std::errc{} || number.ptr != end)
      throw usage_error(fmt::format(
          "'{}' is no parameter of LogGOPS: L, o, g, G, O, S = a whole number below 2^32", part));
    *place->second = value;
  }
  return read;
}

std::uint64_t loggops_outcome::latest_ns() const {
  return finish_ns.empty() ? 0 : *std::ranges::max_element(finish_ns);
}

unrolled_program::unrolled_program(const program& of) : of_(of), iterated_(of.iterations > 1) {
  for (const rank_template& one : of.templates) {
    if (iterated_) templates_.push_back(unrolled(one, of.iterations));
    unmet_.push_back((iterated_ ? templates_.back() : one).unmet(false));
    for (const operation& what : one.operations) {
      cpus_ = std::max<std::uint32_t>(cpus_, what.cpu + 1);
      nics_ = std::max<std::uint32_t>(nics_, what.nic + 1);
    }
  }
}

std::string unrolled_program::text(std::uint32_t rank, std::uint32_t number) const {
  const rank_template& once = of_.of_rank(rank);
  const std::uint32_t at = number % once.size();
  std::string place =
      once.lines.empty() ? fmt::format("operation {}", at) : fmt::format("line {}", once.lines[at]);
  if (iterated_) place += fmt::format(", iteration {}", number / once.size());
  const operation& what = once.operations[at];
  if (what.name != 0) place += ", " + of_.names[what.name];
  return fmt::format("rank {}: {} ({})", rank, text_of(of_, what, rank), place);
}

std::string why_no_lanes(const program& what, const loggops_parameters& network) {
  // Times may not wrap: no sum of all terms is larger than this one.
  double sum = 0;
  const double message = static_cast<double>(network.L + 2 * network.o + network.g);
  const double byte = static_cast<double>(network.O + 2 * network.G);
  std::vector<double> sums;
  const operation* first = nullptr;
  for (const rank_template& one : what.templates) {
    double of_template = 0;
    for (const operation& each : one.operations) {
      if (first == nullptr) first = &each;
      if (each.cpu != first->cpu) return "operations are on several processors";
      if (each.kind == operation_kind::calculation) {
        double longest = static_cast<double>(each.size);
        if (each.duration != duration_rule::constant)
          longest = static_cast<double>(*std::ranges::max_element(what.samples[each.samples]));
        of_template += longest;
        continue;
      }
      if (each.nic != first->nic && first->kind != operation_kind::calculation)
        return "messages use several network cards";
      if (first->kind == operation_kind::calculation) first = &each;
      if (each.size == 0) return "a message has 0 bytes";
      of_template += message + byte * static_cast<double>(each.size);
    }
    sums.push_back(of_template);
  }
  for (std::size_t rank = 0; rank < what.template_of.size(); ++rank)
    sum += sums[what.template_of[rank]] *
           (what.pace.empty() ? 1 : std::max(1.0, 1e-6 * what.pace[rank]));
  if (sum * what.iterations > 4e18) return "times may be beyond 2^64 ns";
  return {};
}

loggops_outcome run_loggops(const program& what, const loggops_parameters& network,
                            loggops_engine engine) {
  check(what);
  const unrolled_program all(what);
  if (engine != loggops_engine::plain) {
    const std::string why = why_no_lanes(what, network);
    if (why.empty()) return lanes_engine(all, network).run();
    if (engine == loggops_engine::lanes) throw usage_error(why);
  }
  return plain_engine(all, network, nullptr).run();
}

}  // namespace plait::simulate
