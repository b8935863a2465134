// SPDX-License-Identifier: BSD-3-Clause
/// Plan of a session: the words of the command line, and the text's experiments under names of
/// ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "algorithms.hpp"
#include "measure/base/session_options.hpp"

namespace spmv_probe {

/// One experiment of the text.
struct preset {
  const char* name;
  const char* about;       ///< for the help
  const char* figure;      ///< the title of its figure
  const char* algorithms;  ///< letters; empty: none but the model
  const char* eta;         ///< as --eta has it
  bool ratios;             ///< 25, 50 and 100 nonzeros a row; else those of a ratio of 4e-6
  bool computes;
  bool without_communication;  ///< each of them, too, and of all their computation alone
};

inline constexpr std::array<preset, 5> presets{{
    {"eta-alone", "eta sweep without computation (figures 6, 7)",
     "Gather and Scatter without computation, by prefetch depth", "G,S", "all", false, false,
     false},
    {"eta", "eta sweep at nonzero ratio 4e-6 (figures 10, 11)",
     "Gather and Scatter, by prefetch depth", "G,S", "all", false, true, false},
    {"ratio", "nonzero-ratio sweep (figures 14, 15)",
     "Bulk, Gather and Scatter, by nonzeros of a row", "B,G,S", "1", true, true, false},
    {"slowdown", "nonzero-ratio sweep with and without communication (figures 18, 19)",
     "Local computation of Gather and Scatter, with communication and without (-)", "G,S", "1",
     true, true, true},
    {"model", "Gather at eta 0 against equations 10 to 13 (figures 29, 30)", "", "", "0", true,
     true, false},
}};

struct command {
  std::string preset = "ratio";
  std::int64_t rows = 1'000'000;
  std::vector<int> per_row;  ///< empty: the preset's
  std::string matrix = "uniform";
  std::string algorithms;
  std::vector<std::string> etas;
  bool no_model = false;
  std::int64_t workers = 0;
  std::string policy = "auto";
  std::string windows = "messages";
  std::int64_t piece = std::int64_t{1} << 17;
  plait::measure::session_options session;
};

/// A bar that is asked for.  Where eta is left to the model, it is chosen for each matrix.
struct wanted_bar {
  course how;
  bool automatic = false;
};

/// Experiments that the words of a command ask for.
struct plan {
  std::string title;
  std::vector<std::int64_t> per_row;
  std::vector<wanted_bar> bars;
  bool several_etas = false;
  bool computation_alone = false;  ///< bars have no other parts
  bool model = false;
  make_rows rows = nullptr;
  plait::progress policy = plait::progress::automatic;
  plait::windows_on windows = plait::windows_on::messages;
};

[[nodiscard]] bool parse(command& c, int argc, char** argv, const plait::environment& env);

/// Errors: usage_error, one line, for words that are out of range or unknown.
[[nodiscard]] plan plan_of(const command& c, int ranks);

/// "B", "G", "S", "F", and what else tells bars of a group apart.
[[nodiscard]] std::string letter_of(algorithm what);

}  // namespace spmv_probe
