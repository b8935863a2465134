// SPDX-License-Identifier: BSD-3-Clause
/// Parses command lines by CLI11, for programs with MPI and without.
#pragma once

#include <algorithm>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

namespace plait::measure {

/// Returns whether there is something to do: false after --help, which is printed if `speaks`.
/// Errors: `Error`, made from one line that says what was wrong.
template <class Error>
[[nodiscard]] bool parse_line(CLI::App& app, int argc, char** argv, bool speaks = true) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (speaks) std::cout << app.help() << std::flush;
    return false;
  } catch (const CLI::ParseError& error) {
    std::string said = error.what();
    std::ranges::replace(said, '\n', ' ');
    throw Error(said + "; --help lists the options");
  }
  return true;
}

}  // namespace plait::measure
