// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "algorithms.hpp"
#include "measure/base/statistics.hpp"

namespace ft_probe {
namespace {

using plait::measure::json;
using plait::measure::stacked_bar;
using cells = std::vector<cell>;

template <class Wanted>
cells only(const cells& all, Wanted&& wanted) {
  cells found;
  std::ranges::copy_if(all, std::back_inserter(found), wanted);
  return found;
}

/// The different values of a member, in their order.
template <class Member>
std::vector<std::string> values_of(const cells& all, Member&& member) {
  std::vector<std::string> values;
  for (const cell& one : all)
    if (const std::string value = member(one); std::ranges::find(values, value) == values.end())
      values.push_back(value);
  return values;
}

std::string way_of(const cell& one) {
  return one.way;
}
std::string shape_of(const cell& one) {
  return one.shape;
}
std::string algorithm_of(const cell& one) {
  return one.which.name;
}
std::string circumstance_of(const cell& one) {
  return one.circumstance_name;
}

/// Returns an algorithm's label on the paper's bars.
std::string short_name(const std::string& algorithm) {
  if (algorithm == "exchange") return "E";
  if (algorithm == "slabs") return "S";
  return algorithm == "pencils" ? "P" : algorithm;
}

/// Returns a bar's place on the x axis: the part of its name that differs within its figure.
std::string group_of(const cell& one, bool one_shape) {
  return one_shape ? one.circumstance_name.substr(one.shape.size() + 2) : one.circumstance_name;
}

json remarks_of(const cell& one) {
  json remarks{{"way", one.way},
               {"algorithm", one.which.name},
               {"circumstance", one.circumstance_name},
               {"scale", one.work.scale()},
               {"transformed", one.work.transformed()},
               {"max_error", one.max_error},
               {"error_bound", one.error_bound}};
  if (one.travels()) {
    remarks["network"] = {{"overhead_s", one.network.overhead_s},
                          {"gap_s", one.network.gap_s},
                          {"gap_per_byte_s", one.network.gap_per_byte_s},
                          {"gap_per_byte_of_pattern_s", one.network.gap_per_byte_of_pattern_s}};
    remarks["bound_s"] = one.bound_s;
  }
  return remarks;
}

json measured_figure(const cells& shown, const std::string& title) {
  const bool one_shape = values_of(shown, shape_of).size() == 1;
  std::vector<stacked_bar> bars;
  for (const cell& one : shown)
    bars.push_back({.group = group_of(one, one_shape),
                    .name = short_name(one.which.name),
                    .times = one.times,
                    .verified = one.verified,
                    .remarks = remarks_of(one)});
  return plait::measure::bar_figure(title, {part_names.begin(), part_names.end()}, bars);
}

double error_of_total(const cell& one, const prediction& model) {
  return model.total_s() / one.total_s() - 1;
}

stacked_bar modelled_bar(const cell& one, const prediction& model, const std::string& group,
                         const std::string& name) {
  stacked_bar bar = plait::measure::modelled_bar(
      group, name, {model.computation_s, model.initiation_s, model.wait_s});
  bar.remarks["error"] = error_of_total(one, model);
  return bar;
}

/// Comm Sync and Barrier, the model's wait, by run.
std::vector<double> waiting_s(const cell& one) {
  std::vector<double> sums = one.times.parts_s[comm_sync];
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += one.times.parts_s[barrier][i];
  return sums;
}

/// Returns a figure with M beside A, as in Figures 23 to 26, and between them E as in Figures 29
/// and 30.  (6, 7): those equations as they are printed.
json model_figure(const cells& shown, const std::string& title) {
  const bool one_shape = values_of(shown, shape_of).size() == 1;
  std::vector<stacked_bar> bars;
  for (const cell& one : shown) {
    const std::string group = group_of(one, one_shape);
    bars.push_back(modelled_bar(one, one.model, group, "M"));
    bars.push_back(modelled_bar(one, one.empirical, group, "E"));
    if (one.printed.total_s() > 0) bars.push_back(modelled_bar(one, one.printed, group, "(6, 7)"));
    stacked_bar actual{.group = group, .name = "A", .verified = one.verified};
    actual.times = {
        one.times.total_s,
        {one.times.parts_s[local_computation], one.times.parts_s[comm_init], waiting_s(one)}};
    bars.push_back(std::move(actual));
  }
  return plait::measure::bar_figure(title, {"local_computation_s", "comm_init_s", "wait_s"}, bars);
}

json computation_figure(const cells& shown) {
  std::vector<stacked_bar> bars;
  for (const cell& one : shown)
    bars.push_back(
        {.group = one.which.name,
         .name = one.travels() ? one.way : "alone",
         .times = {one.times.parts_s[local_computation], {one.times.parts_s[local_computation]}},
         .verified = one.verified});
  return plait::measure::bar_figure("Local computation, " + shown.front().circumstance_name,
                                    {"local_computation_s"}, bars);
}

/// The cells of a way, cut into figures: by shape, or together where each shape has one group.
std::vector<cells> by_figure(const cells& all) {
  const std::vector<std::string> shapes = values_of(all, shape_of);
  if (shapes.size() == values_of(all, circumstance_of).size()) return {all};
  std::vector<cells> parts;
  for (const std::string& shape : shapes)
    parts.push_back(only(all, [&](const cell& one) { return one.shape == shape; }));
  return parts;
}

std::string where(const cells& figure) {
  return values_of(figure, shape_of).size() == 1 ? ", " + figure.front().shape : "";
}

// --- sentences -----------------------------------------------------------------------------------

/// "put, R=512 N=8192, ratio 1: of Exchange's time slabs 0.78, 64 0.75; best is 64"
std::string comparison_sentence(const cell& exchange, const cells& group) {
  std::string said;
  double least = 1;
  std::string best = "exchange";
  for (const cell& one : group) {
    if (one.which.name == "exchange") continue;
    const double share = one.total_s() / exchange.total_s();
    said += fmt::format("{}{} {:.3f}", said.empty() ? "" : ", ", one.which.name, share);
    if (share >= least) continue;
    least = share;
    best = one.which.name;
  }
  const double computation_s = exchange.times.median_s(local_computation);
  const std::string quotient = exchange.work.scale() > 0 && exchange.travels()
                                   ? fmt::format(", communication : computation {:.2f}",
                                                 exchange.communication_s / computation_s)
                                   : "";
  return fmt::format("{}, {}{}: of Exchange's time {}; best is {}", exchange.way,
                     exchange.circumstance_name, quotient, said, best);
}

/// The median and the largest of some errors, in percent.
std::string errors_text(const std::vector<double>& errors) {
  return fmt::format("{:.1f} % (at most {:.1f} %)", 100 * plait::measure::median(errors),
                     100 * std::ranges::max(errors));
}

std::string model_sentence(const cells& of_way, prediction cell::*which, const std::string& name) {
  std::vector<double> totals, initiations, waits;
  for (const cell& one : of_way) {
    const prediction& model = one.*which;
    totals.push_back(std::abs(error_of_total(one, model)));
    initiations.push_back(std::abs(model.initiation_s - one.times.median_s(comm_init)) /
                          one.total_s());
    waits.push_back(std::abs(model.wait_s - plait::measure::median(waiting_s(one))) /
                    one.total_s());
  }
  return fmt::format(
      "{}: the total of {} errs by {}; of the measured total its initiation errs by {}, its wait "
      "by {}",
      of_way.front().way, name, errors_text(totals), errors_text(initiations), errors_text(waits));
}

std::string network_sentence(const cell& one) {
  return fmt::format("{}, {}: o {:.2f} µs, g {:.2f} µs, G {:.3f} ns a byte, of the pattern {:.3f}",
                     one.name(), one.shape, 1e6 * one.network.overhead_s, 1e6 * one.network.gap_s,
                     1e9 * one.network.gap_per_byte_s, 1e9 * one.network.gap_per_byte_of_pattern_s);
}

/// The runs that end before the model's bound by more than their spread.
void add_beaten_bounds(const cells& of_way, std::vector<std::string>& to) {
  for (const cell& one : of_way) {
    const plait::measure::summary total = plait::measure::summarize(one.times.total_s);
    if (total.median + (total.q3 - total.q1) < one.bound_s)
      to.push_back(fmt::format("{}, {} takes {:.3f} of the model's bound", one.name(),
                               one.circumstance_name, total.median / one.bound_s));
  }
}

void add_slower_computation(const cells& all, std::vector<std::string>& to) {
  for (const cell& one : all)
    for (const cell& alone : all) {
      if (alone.travels() || !one.travels() || one.which.name != alone.which.name ||
          one.circumstance_name != alone.circumstance_name || alone.work.scale() == 0)
        continue;
      to.push_back(fmt::format(
          "{}, {}: local computation takes {:.3f} of its time alone", one.name(),
          one.circumstance_name,
          one.times.median_s(local_computation) / alone.times.median_s(local_computation)));
    }
}

void add_comparisons(const cells& of_way, std::vector<std::string>& to) {
  for (const cell& exchange : of_way) {
    if (exchange.which.name != "exchange") continue;
    const cells group = only(of_way, [&](const cell& one) {
      return one.circumstance_name == exchange.circumstance_name;
    });
    if (group.size() > 1) to.push_back(comparison_sentence(exchange, group));
  }
}

}  // namespace

json figures_of(const cells& all) {
  json figures = json::array();
  const std::vector<std::string> ways = values_of(all, way_of);
  const auto of_way = [&](const std::string& way) {
    return by_figure(only(all, [&](const cell& one) { return one.way == way; }));
  };
  for (const std::string& way : ways)
    for (const cells& shown : of_way(way))
      figures.push_back(
          measured_figure(shown, (way == "none" ? "Nothing travels" : "By " + way) + where(shown)));
  for (const std::string& way : ways)
    for (const cells& shown : of_way(way))
      for (const std::string& algorithm : values_of(shown, algorithm_of))
        if (way != "none")
          figures.push_back(model_figure(
              only(shown, [&](const cell& one) { return one.which.name == algorithm; }),
              fmt::format("Model and measurement: {} by {}{}", algorithm, way, where(shown))));
  const cells alone = only(all, [](const cell& one) { return !one.travels(); });
  if (alone.size() < all.size())
    for (const std::string& circumstance : values_of(alone, circumstance_of))
      figures.push_back(computation_figure(
          only(all, [&](const cell& one) { return one.circumstance_name == circumstance; })));
  return figures;
}

std::vector<std::string> sentences_of(const cells& all) {
  std::vector<std::string> said;
  for (const std::string& way : values_of(all, way_of)) {
    const cells own = only(all, [&](const cell& one) { return one.way == way; });
    add_comparisons(own, said);
    if (way == "none" || own.front().communication_s == 0) continue;
    said.push_back(model_sentence(own, &cell::model, "M, the model with G of a flood,"));
    said.push_back(model_sentence(own, &cell::empirical, "E, with G of the pattern,"));
    for (const std::string& shape : values_of(own, shape_of))
      for (const std::string& algorithm : values_of(own, algorithm_of))
        said.push_back(network_sentence(*std::ranges::find_if(own, [&](const cell& one) {
          return one.shape == shape && one.which.name == algorithm;
        })));
    add_beaten_bounds(own, said);
  }
  add_slower_computation(all, said);
  return said;
}

}  // namespace ft_probe
