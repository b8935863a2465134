// SPDX-License-Identifier: BSD-3-Clause
/// Describes who calls plait in this benchmark: C++ in this program, and the programs that are
/// written in other languages.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure/base/gather.hpp"

namespace plait::bench::bindings {

/// Tasks that a caller submits: empty ones in chains, from one thread.
struct load {
  std::int64_t tasks = 200'000;
  int chains = 64;  ///< task i has one `inout`, on the object of chain i % chains
  int workers = 1;
};

struct caller {
  std::string name;   ///< of its row
  std::string about;  ///< how it calls
  std::string how;    ///< its word for the program
  /// The program and its first words; empty: this program itself.
  std::vector<std::string> program;
  std::string beside;  ///< row whose figures those of this row are to be held against; may be empty
};

/// The callers whose programs were built, C++ first.
[[nodiscard]] std::vector<caller> built_callers();
/// Functions of Python, two of which at once are held against one.
[[nodiscard]] std::vector<caller> built_pairs();
/// The languages that are missing, with what to install.
[[nodiscard]] std::map<std::string, std::string> missing_languages();
/// The program and first words of the exchange that `plait.progress()` looks after; empty: none.
[[nodiscard]] std::vector<std::string> exchange_program();

/// Measures C++ in this process: `how` is "typed" or "erased".  Starts MPI.
[[nodiscard]] measure::json run_cpp(const std::string& how, const load& what);

}  // namespace plait::bench::bindings
