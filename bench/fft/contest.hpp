// SPDX-License-Identifier: BSD-3-Clause
/// One application's transforms of one grid: ours and peers' rows, which take turns, and the
/// communication that they are held against.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "ft/npb.hpp"
#include "measure/compare/verdict.hpp"
#include "measure/load/messages_alone.hpp"
#include "measure/rows/checked_run.hpp"
#include "peer.hpp"

namespace plait::bench::fft {

/// The settings of every row.
struct setup {
  spectral::planning planning = spectral::planning::measured;
  int steps = 0;    ///< 0: as many as the application has
  int workers = 0;  ///< of a rank, where a row has workers; 0 = choose
  progress policy = progress::automatic;
};

/// A peer's plans for a grid, which its rows share.
struct planned_peer {
  std::string name;
  std::shared_ptr<transform> plans;
};

struct competitor {
  std::string name;
  std::function<measure::checked_run()> run;  ///< collective
};

struct contest {
  std::string column;  ///< "ft A"
  std::array<index, 3> cells{};
  int transforms = 0;                 ///< of a run
  double operations = 0;              ///< of a run
  std::vector<competitor> rows = {};  ///< base, olap, plait, ideal, then peers
  /// One transpose of base, and nothing else; the second sleeps so long whenever it has found
  /// nothing to do.
  std::function<void()> exchange = {};
  std::function<void(std::chrono::microseconds)> exchange_sparsely = {};
  std::vector<measure::sent_bytes> sent_per_transform = {};
  std::shared_ptr<void> memory = nullptr;  ///< what rows refer to
};

/// Returns what this rank sends in a transpose.
[[nodiscard]] inline std::vector<measure::sent_bytes> sent_in_transpose(const spectral::slabs& s) {
  std::vector<measure::sent_bytes> sent;
  for (int peer = 0; peer < s.ranks(); ++peer)
    if (peer != s.rank())
      sent.push_back({peer, sizeof(complex) * static_cast<double>(s.sent_to(peer))});
  return sent;
}

/// NAS FT: a transform forward, and in each step an evolution, a transform backward and a checksum.
/// Rows must give NPB's checksums, or those of a serial run, and peers those of base too.
/// Collective.
[[nodiscard]] contest nas_ft(environment& env, const ft::problem_class& what, const setup& how,
                             const std::vector<planned_peer>& peers);

/// fft3d: in each step a transform there and back.  Rows must give the input, and peers the waves
/// of base at 1024 places.  Collective.
[[nodiscard]] contest there_and_back(environment& env, const ft::problem_class& what,
                                     const setup& how, const std::vector<planned_peer>& peers);

/// Errors: plait::error where base itself is wrong.
inline void expect_right(const measure::verdict& of_base) {
  if (!of_base.verified) throw error("base is wrong: " + of_base.complaint);
}

}  // namespace plait::bench::fft
