// SPDX-License-Identifier: BSD-3-Clause
#include "print_rows.hpp"

#include <cstdio>
#include <string>

namespace plait::bench {

void print_rows(const json& rows) {
  std::printf("%-24s %-32s %12s  %s\n", "case", "implementation", "median", "[q1, q3]");
  for (const auto& [row, columns] : rows.items()) {
    for (const auto& [column, figures] : columns.items()) {
      for (const auto& [figure, spread] : figures.items()) {
        if (!spread.is_object() || spread.at("median").is_null()) continue;
        const std::string which = column + " " + figure;
        std::printf("%-24s %-32s %12.5g  [%.4g, %.4g]\n", which.c_str(), row.c_str(),
                    spread.at("median").get<double>(), spread.at("q1").get<double>(),
                    spread.at("q3").get<double>());
      }
    }
  }
  std::fflush(stdout);
}

}  // namespace plait::bench
