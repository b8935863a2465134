// SPDX-License-Identifier: BSD-3-Clause
/// The task systems that were found when a benchmark was built (plait_bench_peer of
/// CMakeLists.txt).
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace plait::bench {

#ifdef PLAIT_BENCH_OPENMP
inline constexpr bool found_openmp = true;
#else
inline constexpr bool found_openmp = false;
#endif
#ifdef PLAIT_BENCH_STARPU
inline constexpr bool found_starpu = true;
#else
inline constexpr bool found_starpu = false;
#endif
#ifdef PLAIT_BENCH_TBB
inline constexpr bool found_tbb = true;
#else
inline constexpr bool found_tbb = false;
#endif

/// Returns those of `wanted` that were not found, with what to install.
[[nodiscard]] inline std::map<std::string, std::string> missing_of(
    std::initializer_list<std::string_view> wanted) {
  std::map<std::string, std::string> missing;
  if (!found_openmp) missing["openmp"] = "a compiler with OpenMP";
  if (!found_starpu) missing["starpu"] = "libstarpu-dev";
  if (!found_tbb) missing["tbb"] = "libtbb-dev";
  std::erase_if(missing, [&](const auto& one) {
    return std::ranges::find(wanted, one.first) == wanted.end();
  });
  return missing;
}

}  // namespace plait::bench
