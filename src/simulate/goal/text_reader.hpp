// SPDX-License-Identifier: BSD-3-Clause
/// Reads GOAL text, statement by statement, and goes on after a bad one.  A `//` comment on a line
/// of its own names the operation below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <plait/simulate/goal.hpp>

#include "passed_bytes.hpp"
#include "problems.hpp"
#include "simulate/name_table.hpp"
#include "words.hpp"

namespace plait::simulate {

class text_reader {
 public:
  text_reader(std::string_view text, const std::string& name, const goal_limits& limits)
      : text_(text), problems_(name, limits.reported_problems) {}

  /// Reads everything, and tells after each rank how far it is.  Errors: `usage_error` with a line
  /// for each bad line.
  [[nodiscard]] program read(const passed_bytes& passed);

 private:
  void read_line(std::string_view line);
  void read_statements(std::string_view part);
  void take_name(std::string_view comment);
  void statement(words& line);
  void ranks(words& line);
  void open_rank(words& line);
  void close_rank();
  void operation_or_edge(words& line, std::string_view first);
  void edge(words& line, std::string_view later, bool after_start);
  void labelled(words& line, std::string_view label);
  void add(words& line, std::string_view kind, std::string_view label);
  [[nodiscard]] bool message(words& line, operation& read);
  [[nodiscard]] bool places(words& line, operation& read, bool of_message);
  void finish();
  void bad(const std::string& what) { problems_.at_line(line_number_, what); }

  std::string_view text_;
  problems problems_;
  program read_;
  std::uint32_t line_number_ = 0;
  bool in_comment_ = false;
  std::optional<std::uint32_t> stated_ranks_;
  bool in_rank_ = false;
  template_builder current_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  name_table names_{read_.names};
  std::string_view name_;  ///< of the next operation
};

}  // namespace plait::simulate
