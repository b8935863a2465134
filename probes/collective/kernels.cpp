// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <plait/plait.hpp>

namespace plait::probes {
namespace {

constexpr double window_s = 3e-4;

// Not inlined: nobody looks at what they write, which the compiler must not see.
[[gnu::noinline]] void combine(const double* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = sum{}(from[i], to[i]);
}

[[gnu::noinline]] void copy(const double* from, double* to, std::size_t count) {
  std::memcpy(to, from, count * sizeof(double));
}

// Per byte: the mean over so many calls as a short window has.
template <class Kernel>
double per_byte_s(std::size_t size_bytes, Kernel&& kernel) {
  kernel();
  const ticks start = now_ticks();
  double spent_s = 0;
  int calls = 0;
  do {
    kernel();
    ++calls;
    spent_s = ticks_to_seconds(now_ticks() - start);
  } while (spent_s < window_s);
  return spent_s / calls / static_cast<double>(size_bytes);
}

}  // namespace

kernel_times measure_kernels(std::size_t size_bytes) {
  const std::size_t count = std::max<std::size_t>(1, size_bytes / sizeof(double));
  const std::vector<double> from(count, 1.0);
  std::vector<double> to(count, 2.0);
  const std::size_t bytes = count * sizeof(double);
  return {.combine_s = per_byte_s(bytes, [&] { combine(from.data(), to.data(), count); }),
          .copy_s = per_byte_s(bytes, [&] { copy(from.data(), to.data(), count); })};
}

}  // namespace plait::probes
