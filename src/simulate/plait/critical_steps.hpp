// SPDX-License-Identifier: BSD-3-Clause
/// Steps of a simulation, each with the one that decided when it began.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/simulate/dataflow.hpp>

namespace plait::simulate {

/// A moment, reached from `from` by a part of the path.
struct step {
  std::int64_t at_ps = 0;
  std::uint32_t from = 0;
  std::uint32_t name = 0;  ///< of a task
  path_part part = path_part::overhead;
  bool by_core = false;  ///< `from` had kept the core that this waited for
};

/// All steps; number 0 is the beginning.
class critical_steps {
 public:
  using number = std::uint32_t;

  [[nodiscard]] std::int64_t at(number one) const { return all_[one].at_ps; }
  [[nodiscard]] number add(std::int64_t at_ps, number from, path_part part, std::uint32_t name = 0,
                           bool by_core = false) {
    if (all_.size() >= most) throw usage_error("the program has too many steps to keep its path");
    all_.push_back({at_ps, from, name, part, by_core});
    return static_cast<number>(all_.size() - 1);
  }
  /// Returns the later of two, the first where they are equal.
  [[nodiscard]] number later(number a, number b) const { return at(b) > at(a) ? b : a; }

  /// Adds up the path that ends with `last`.
  void add_up(number last, std::size_t names, double byte_ps, prediction& to) const {
    to.names_ps.assign(names, 0);
    bool kept_core = false;
    for (number i = last; i != 0; i = all_[i].from) {
      const step& one = all_[i];
      const std::int64_t took = one.at_ps - at(one.from);
      path_part part = one.part;
      if (part == path_part::computation && took > 0) {
        to.names_ps[one.name] += took;
        if (kept_core) part = path_part::core;
      }
      if (took > 0 || one.by_core) kept_core = one.by_core;
      to.parts_ps[static_cast<std::size_t>(part)] += took;
      if (part == path_part::latency) ++to.latencies;
      if (part == path_part::bytes && byte_ps > 0) to.bytes += static_cast<double>(took) / byte_ps;
    }
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 28;
  std::vector<step> all_{step{}};
};

}  // namespace plait::simulate
