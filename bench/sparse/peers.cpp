// SPDX-License-Identifier: BSD-3-Clause
#include "peer.hpp"

namespace plait::bench::sparse {

std::vector<peer> all_peers() {
  std::vector<peer> all;
#ifdef PLAIT_BENCH_PETSC
  all.push_back(petsc());
#endif
#ifdef PLAIT_BENCH_LIBRSB
  all.push_back(librsb());
#endif
  return all;
}

std::map<std::string, std::string> missing_peers() {
  std::map<std::string, std::string> missing;
#ifndef PLAIT_BENCH_PETSC
  missing["petsc"] = "needs petsc-dev, which Debian builds for Open MPI alone";
#endif
#ifndef PLAIT_BENCH_LIBRSB
  missing["librsb"] = "needs librsb-dev";
#endif
  return missing;
}

}  // namespace plait::bench::sparse
