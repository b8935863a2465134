// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/cores.hpp"

#include <cstdio>

#include <sched.h>
#include <unistd.h>

namespace plait::attach {
namespace {

double queued_at_begin_s = -1;

/// Seconds in which the process's first thread was ready and did not run; -1 where the kernel does
/// not count them.
[[nodiscard]] double queued_s() noexcept {
  std::FILE* file = std::fopen("/proc/self/schedstat", "re");
  if (file == nullptr) return -1;
  unsigned long long ran_ns = 0;
  unsigned long long queued_ns = 0;
  const int found = std::fscanf(file, "%llu %llu", &ran_ns, &queued_ns);
  std::fclose(file);
  return found == 2 ? 1e-9 * static_cast<double>(queued_ns) : -1;
}

}  // namespace

void note_cores(profile_header& to) noexcept {
  queued_at_begin_s = queued_s();
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(getpid(), sizeof mask, &mask) != 0) return;
  for (int core = 0; core < most_cores; ++core) {
    if (CPU_ISSET(core, &mask)) to.cores[core / 64] |= std::uint64_t{1} << (core % 64);
  }
}

void note_queued(profile_header& to) noexcept {
  const double now_s = queued_s();
  if (queued_at_begin_s >= 0 && now_s >= 0) to.queued_s = now_s - queued_at_begin_s;
}

}  // namespace plait::attach
