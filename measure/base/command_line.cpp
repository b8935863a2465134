// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <plait/plait.hpp>

#include "gather.hpp"
#include "parse_line.hpp"

namespace plait::measure {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (;;) {
    const std::size_t to = text.find(at, from);
    parts.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return parts;
    from = to + 1;
  }
}

}  // namespace

std::array<std::int64_t, 3> parse_extents(const std::string& option, const std::string& text,
                                          std::int64_t least) {
  const auto refuse = [&](std::string_view why) -> usage_error {
    return usage_error(fmt::format("{} is '{}'; {}", option, text, why));
  };
  const std::vector<std::string> parts = split(text, 'x');
  if (parts.size() != 3) throw refuse("it must be three numbers, such as 512x512x64");
  std::array<std::int64_t, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string& part = parts[i];
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), result[i]);
    if (error != std::errc{} || end != part.data() + part.size())
      throw refuse("it must be three numbers, such as 512x512x64");
    if (result[i] < least) throw refuse(fmt::format("every number must be at least {}", least));
    if (result[i] > 1'000'000'000) throw refuse("every number must be at most 1000000000");
  }
  return result;
}

std::size_t parse_place(const std::string& option, const std::string& word,
                        std::span<const std::string_view> known) {
  const auto found = std::ranges::find(known, word);
  if (found == known.end())
    throw usage_error(
        fmt::format("{} knows no '{}'; it can be {}", option, word, fmt::join(known, ", ")));
  return static_cast<std::size_t>(found - known.begin());
}

std::string parse_name(const std::string& option, const std::string& word,
                       std::span<const std::string_view> known) {
  return std::string(known[parse_place(option, word, known)]);
}

progress parse_progress(const std::string& option, const std::string& word) {
  if (const std::optional<progress> policy = progress_from(word)) return *policy;
  throw usage_error(fmt::format("{} knows no '{}'; it can be {}", option, word, progress_names()));
}

windows_on parse_windows(const std::string& option, const std::string& word) {
  constexpr std::array<std::string_view, 3> names{"auto", "messages", "rma"};
  return *windows_on_from(parse_name(option, word, names));
}

std::vector<std::string> parse_names(const std::string& option, const std::string& text,
                                     std::span<const std::string_view> known) {
  std::vector<std::string> result;
  for (const std::string& word : split(text, ',')) {
    if (std::ranges::find(result, word) != result.end())
      throw usage_error(fmt::format("{} names '{}' twice", option, word));
    result.push_back(parse_name(option, word, known));
  }
  return result;
}

void check_range(const std::string& option, std::int64_t value, std::int64_t low,
                 std::int64_t high) {
  if (value < low || value > high)
    throw usage_error(
        fmt::format("{} is {}; it must be between {} and {}", option, value, low, high));
}

void check_positive(const std::string& option, double value, std::int64_t most) {
  if (!(value > 0 && value <= static_cast<double>(most)))
    throw usage_error(fmt::format("{} must be more than 0 and at most {}", option, most));
}

struct command_line::implementation {
  implementation(const std::string& description, const std::string& program)
      : app(description, program) {}
  CLI::App app;
  std::vector<std::pair<std::string, std::string>> old_names = {};  ///< and the new ones
};

command_line::command_line(const std::string& description, const std::string& program)
    : self_(std::make_unique<implementation>(description, program)) {}
command_line::~command_line() = default;

template <class T>
void command_line::option(const std::string& name, T& to, const std::string& help) {
  CLI::Option* added = self_->app.add_option(name, to, help)->capture_default_str();
  if constexpr (CLI::detail::is_mutable_container<T>::value) added->delimiter(',');
}

template <class T>
void command_line::hidden_option(const std::string& name, T& to) {
  self_->app.add_option(name, to)->group("");
}

void command_line::flag(const std::string& name, bool& to, const std::string& help) {
  self_->app.add_flag(name, to, help);
}

void command_line::renamed(const std::string& old_name, const std::string& new_name) {
  self_->old_names.emplace_back(old_name, new_name);
}

template void command_line::option(const std::string&, int&, const std::string&);
template void command_line::option(const std::string&, std::int64_t&, const std::string&);
template void command_line::option(const std::string&, std::size_t&, const std::string&);
template void command_line::option(const std::string&, double&, const std::string&);
template void command_line::option(const std::string&, std::string&, const std::string&);
template void command_line::option(const std::string&, std::vector<int>&, const std::string&);
template void command_line::option(const std::string&, std::vector<double>&, const std::string&);
template void command_line::option(const std::string&, std::vector<std::string>&,
                                   const std::string&);
template void command_line::hidden_option(const std::string&, std::string&);

bool command_line::parse(int argc, char** argv, bool speaks) {
  for (const std::string_view word : std::span(argv, static_cast<std::size_t>(argc))) {
    const std::string_view name = word.substr(0, word.find('='));
    for (const auto& [was, is] : self_->old_names)
      if (name == was) throw usage_error(fmt::format("{} is {} now", was, is));
  }
  return parse_line<usage_error>(self_->app, argc, argv, speaks);
}

bool command_line::parse(int argc, char** argv, const environment& env) {
  return parse(argc, argv, env.rank() == 0);
}

namespace {

/// Empty: the file can be written, or none is asked for.
[[nodiscard]] std::string complaint_of(const std::string& option, const std::string& path) {
  const std::string why = path.empty() ? "" : why_not_writable(path);
  return why.empty() ? "" : fmt::format("{}: cannot write '{}': {}", option, path, why);
}

}  // namespace

void check_writable(const std::string& option, const std::string& path) {
  const std::string complaint = complaint_of(option, path);
  if (!complaint.empty()) throw usage_error(complaint);
}

void check_writable(environment& env, const std::string& option, const std::string& path) {
  if (path.empty() || path == "-") return;
  const std::string complaint =
      broadcast(env, env.rank() == 0 ? complaint_of(option, path) : std::string());
  if (!complaint.empty()) throw usage_error(complaint);
}

void complain(const environment& env, std::string_view program, std::string_view what) {
  if (env.rank() != 0) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(program.size()), program.data(),
               static_cast<int>(what.size()), what.data());
  std::fflush(stderr);
}

}  // namespace plait::measure
