// SPDX-License-Identifier: BSD-3-Clause
/// A library's product of a sparse matrix and a vector that plait is compared with.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "problem.hpp"
#include "variant.hpp"

namespace plait::bench::sparse {

/// A product y = A x of a rank's own block, which has no messages.
class own_product {
 public:
  virtual ~own_product() = default;
  virtual void multiply(const double* x, double* y) = 0;
};

/// A library's matrix, dealt to the ranks as ours is.
class peer_matrix {
 public:
  virtual ~peer_matrix() = default;
  /// Makes a variant of spmv, which refers to this; null where the library has no messages.
  [[nodiscard]] virtual std::unique_ptr<spmv::variant> make_variant(spmv::problem&) { return {}; }
  /// Makes products of a rank's own block, which refer to this.
  [[nodiscard]] virtual std::unique_ptr<own_product> make_own() = 0;
};

struct peer {
  std::string name;
  std::string about;  ///< one line: which calls
  /// Collective.  The problem outlives the matrix, which may refer to its values.
  std::function<std::unique_ptr<peer_matrix>(environment&, const spmv::problem&)> make;
};

/// A peer's matrix in a session.
struct loaded_peer {
  std::string name;
  std::unique_ptr<peer_matrix> matrix;
};

/// Return a peer.  Defined if the library was found when this was built.
[[nodiscard]] peer petsc();
[[nodiscard]] peer librsb();

/// Returns the peers that were found.
[[nodiscard]] std::vector<peer> all_peers();
/// Returns the names of the peers that were not found, and why.
[[nodiscard]] std::map<std::string, std::string> missing_peers();

}  // namespace plait::bench::sparse
