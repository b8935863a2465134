// SPDX-License-Identifier: BSD-3-Clause
/// Policies: the organisation of a run, in the words of the paper's Table 1 [Baden and Shalit 2001]
/// and two of plait's own.  Only the words are here; the variants carry them out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redblack3d {

/// Words joined by `+`, in any order, with blanks where one likes:
///
///     HAND                                  hand-coded MPI, single-tier
///     MT(k) [!OLAP | OLAP [XTRA] [FACES]] [IRR(m:n) | DYN]
///                                           one process a node with k threads that compute
///     TASK [MT(k)] [XTRA]                   dataflow: tasks, recorded and replayed
///     IDEAL                                 HAND with communication switched off
///
/// OLAP defers a node's outermost cells until their ghosts have come, and computes the others
/// meanwhile; XTRA adds a thread that looks after the messages; FACES gives each face of those
/// outermost cells to one thread, as the paper does, where plait cuts them into equal shares;
/// IRR(m:n), also written IRR(m,n), divides the planes of a node between two sets of threads, the
/// first half of them (rounded up) and the rest; DYN cuts them finer, for whichever thread is free.
/// Without either word MT(k) means !OLAP; TASK without MT(k) has a thread for each core of its own.
struct policy {
  enum class kind : std::uint8_t { hand, multi_tier, tasks, ideal };
  enum class sharing : std::uint8_t { uniform, irregular, dynamic };

  kind what = kind::hand;
  int threads = 1;  ///< that compute; 0: as many as this process has cores for
  bool overlap = false;
  bool proxy = false;
  bool face_a_thread = false;
  sharing share = sharing::uniform;
  int first_weight = 1;  ///< of the two sets of IRR
  int second_weight = 1;

  /// Returns the policy as the paper writes it: "MT(7)+OLAP+XTRA+IRR(44:50)".
  [[nodiscard]] std::string name() const;

  /// Returns whether it has a process for each processor, not one for each node: the paper's single
  /// tier.
  [[nodiscard]] bool single_tier() const noexcept {
    return what == kind::hand || what == kind::ideal ||
           (what == kind::multi_tier && threads == 1 && !proxy && share == sharing::uniform);
  }

  friend bool operator==(const policy&, const policy&) = default;
};

/// Errors: usage_error, one line with what is wrong and the grammar.
[[nodiscard]] policy parse_policy(std::string_view text);

/// Policies with commas between (not those within parentheses), none twice.  Errors: as above.
[[nodiscard]] std::vector<policy> parse_policies(std::string_view text);

}  // namespace redblack3d
