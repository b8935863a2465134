// SPDX-License-Identifier: BSD-3-Clause
/// Collects what is wrong with a file, line by line.  Not here: what a right line is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>

namespace plait::simulate {

class problems {
 public:
  problems(std::string name, int reported) : name_(std::move(name)), reported_(reported) {}

  void at_line(std::uint32_t line, const std::string& what) {
    add(fmt::format("{}:{}: {}", name_, line, what));
  }
  void of_file(const std::string& what) { add(fmt::format("{}: {}", name_, what)); }

  /// Throws a `usage_error` if something is wrong.
  void finish() const {
    if (count_ == 0) return;
    std::string all = text_;
    if (count_ > reported_) all += fmt::format("\n{}: {} more", name_, count_ - reported_);
    throw usage_error(all);
  }

 private:
  void add(const std::string& line) {
    if (count_++ >= reported_) return;
    if (!text_.empty()) text_ += '\n';
    text_ += line;
  }

  std::string name_;
  int reported_;
  int count_ = 0;
  std::string text_;
};

}  // namespace plait::simulate
