// SPDX-License-Identifier: BSD-3-Clause
/// The ways in which a collective can be carried out: plait's algorithms, and the MPI library's
/// own.
#pragma once

#include <string>
#include <vector>

#include <plait/runtime/collective_calls.hpp>

namespace plait::test {

inline collective_options by_library() {
  return {.back_end = collective::back_end::library};
}

/// Every algorithm of `what`, in small fragments, and what the MPI library has.
inline std::vector<collective_options> ways_of(collective::operation what) {
  std::vector<collective_options> ways;
  for (const collective::algorithm how : collective::algorithms_of(what)) {
    ways.push_back({.algorithm = how, .fragment_bytes = 64});
  }
  if (!is_neighbourly(what)) ways.push_back(by_library());
  return ways;
}

inline std::string name_of(const collective_options& way) {
  return way.algorithm.has_value() ? std::string(to_string(*way.algorithm)) : "library";
}

}  // namespace plait::test
