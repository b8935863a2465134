// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <plait/plait.hpp>

namespace plait::network::collectives {
namespace {

constexpr double sample_s = 3e-4;

// Not inlined: nobody looks at what they write, which the compiler must not see.
[[gnu::noinline]] void combine(const double* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = sum{}(from[i], to[i]);
}

[[gnu::noinline]] void copy(const double* from, double* to, std::size_t count) {
  std::memcpy(to, from, count * sizeof(double));
}

// Per byte: the median of as many calls as a short sample has, each on data just written.
template <class Write, class Kernel>
double per_byte_s(std::size_t size_bytes, Write&& write, Kernel&& kernel) {
  std::vector<double> calls;
  const ticks end = now_ticks() + seconds_to_ticks(sample_s);
  do {
    write();
    const ticks start = now_ticks();
    kernel();
    calls.push_back(ticks_to_seconds(now_ticks() - start));
  } while (now_ticks() < end || calls.size() < 3);
  return model::median(std::move(calls)) / static_cast<double>(size_bytes);
}

}  // namespace

kernel_times measure_kernels(std::size_t size_bytes, int ranks) {
  const std::size_t count = std::max<std::size_t>(1, size_bytes / sizeof(double));
  const std::size_t bytes = count * sizeof(double);
  std::vector<double> from;
  std::vector<double> to;
  const auto write = [&] {
    std::ranges::fill(to, 2.0);
    std::ranges::fill(from, 1.0);
  };
  const auto time_of = [&](std::size_t blocks, auto kernel) {
    from.resize(blocks * count);
    to.resize(blocks * count);
    return per_byte_s(bytes, write, [&] { kernel(from.data(), to.data(), count); });
  };
  return {.combine_s = time_of(1, combine),
          .copy_s = time_of(static_cast<std::size_t>(ranks), copy)};
}

}  // namespace plait::network::collectives
