// SPDX-License-Identifier: BSD-3-Clause
/// The cost of the sparse product of the architectural probes: equations 10 to 13, and what they
/// need.  Measures nothing.  [overlap-probes, section 8]
///
/// Of `parameters` only L, o (send_overhead_s), g and G count.  Times are in seconds.
/// Precondition of all: at least 2 ranks.  With one rank nothing is sent, and equation 12 would
/// subtract a message.
#pragma once

#include <plait/plait.hpp>

namespace spmv_probe {

using plait::model::parameters;

/// A product of N rows on P ranks, whose vector is fetched as a whole, a block from each rank.
struct spmv_product {
  int ranks = 2;               ///< P
  double block_bytes = 0;      ///< γ N/P: the part of the vector that a rank owns
  double block_compute_s = 0;  ///< T_comp^{N/P}: the product with one block of columns
};

/// Returns the time where computation is the dominant term: (o + T)(P - 1) + T  [equation 10].
[[nodiscard]] double spmv_computing_s(const parameters& network, const spmv_product& what);

/// Returns the time where communication is: (o + 2L + γ(N/P)G)
/// + (max(o, g) + 2L + γ(N/P)G)(P - 2) + T  [equations 11 and 12, one sum].
[[nodiscard]] double spmv_communicating_s(const parameters& network, const spmv_product& what);

/// Returns the larger of both  [equation 13].
[[nodiscard]] double spmv_s(const parameters& network, const spmv_product& what);

/// Returns the part of `spmv_s` that is not computation  [section 8.2].
[[nodiscard]] double spmv_exposed_s(const parameters& network, const spmv_product& what);

/// Returns the G for which equations 11 and 12 with T = 0 give `alone_s`: that of the pattern
/// itself, of all ranks at once, which bars "E" use.  At least 0.  [section 8.2]
[[nodiscard]] double spmv_gap_per_byte_s(const parameters& network, const spmv_product& what,
                                         double alone_s);

/// Returns the time of Gather(eta), get by get and block by block: a get occupies the processor for
/// o, at least g after the last one; data arrives 2L later and takes γ(N/P)G of the link; a block
/// is computed when its data is here and the block before is done.  Where computation dominates
/// this is equation 10.  Where communication does it is less than equation 12, which lets no two
/// gets overlap.  0 <= eta < P.
[[nodiscard]] double spmv_gather_s(const parameters& network, const spmv_product& what, int eta);

/// Returns the smallest eta whose `spmv_gather_s` is within 0.1 % of the least of all.
[[nodiscard]] int spmv_best_prefetch(const parameters& network, const spmv_product& what);

}  // namespace spmv_probe
