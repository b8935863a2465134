// SPDX-License-Identifier: BSD-3-Clause
/// The stretches of a rank's run that are counted, each as a row and a column of the table.
#pragma once

#include <map>
#include <string>

#include <valgrind/callgrind.h>

#include "measure/base/gather.hpp"
#include "turns.hpp"

namespace plait::bench::counts {

/// Runs the program again, under callgrind, and returns its exit code.  Errors: usage_error without
/// valgrind.
[[nodiscard]] int count_this_program(char** argv);
/// Returns whether the program runs under callgrind.
[[nodiscard]] bool is_counted();
/// Returns whether the launcher says that this is another rank than the first two.
[[nodiscard]] bool looks_on();

/// Counts and names stretches of this rank.
class parts {
 public:
  /// Counts what `body` does.
  template <class Body>
  void count(Body&& body) {
    CALLGRIND_TOGGLE_COLLECT;
    body();
    CALLGRIND_TOGGLE_COLLECT;
  }
  /// Gives what was counted since the last `end` to this place of the table, as `units` messages,
  /// tasks or calls.  The same place may be named again.
  void end(const std::string& row, const std::string& column, int units);
  /// Counts `body` as this place's.
  template <class Body>
  void count(const std::string& row, const std::string& column, int units, Body&& body) {
    count(body);
    end(row, column, units);
  }

  /// Returns the result's rows: what one unit takes, of both ranks.  Collective; on rank 0.
  [[nodiscard]] measure::json rows(environment& env) const;

 private:
  std::map<std::string, int> units_;  ///< by "row/column"
};

/// Turns and parts, which all cases take.
struct session {
  environment& env;
  turns& turn;
  parts& part;
};

void count_messages(session& s);
void count_tasks(session& s);
void count_collectives(session& s);

}  // namespace plait::bench::counts
