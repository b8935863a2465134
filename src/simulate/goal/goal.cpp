// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/simulate/goal.hpp>

#include "binary_reader.hpp"
#include "mapped_file.hpp"
#include "text_reader.hpp"

namespace plait::simulate {
namespace {

program parse(std::string_view data, const std::string& name, const goal_limits& limits,
              const passed_bytes& passed) {
  if (data.size() > limits.file_bytes)
    throw usage_error(fmt::format("{}: {} bytes; {} are the most that is read", name, data.size(),
                                  limits.file_bytes));
  if (binary_form::is_binary(data)) return binary_form::read(data, name, passed);
  return text_reader(data, name, limits).read(passed);
}

}  // namespace

program read_goal(const std::string& path, const goal_limits& limits) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);  // before memory is taken
  if (!failed && bytes > limits.file_bytes)
    throw usage_error(
        fmt::format("{}: {} bytes; {} are the most that is read", path, bytes, limits.file_bytes));
  mapped_file mapped(path);
  if (mapped.bytes().empty())
    return parse_goal(read_text_file(path, limits.file_bytes), path, limits);
  return parse(mapped.bytes(), path, limits, [&mapped](std::size_t end) { mapped.passed(end); });
}

program parse_goal(std::string_view data, const std::string& name, const goal_limits& limits) {
  return parse(data, name, limits, [](std::size_t) {});
}

}  // namespace plait::simulate
