// SPDX-License-Identifier: BSD-3-Clause
#include "priority.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plan.hpp"

namespace plait::network::noise {
namespace {

constexpr int nicest = -20;

[[nodiscard]] bool becomes_real_time() {
  const sched_param least{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &least) == 0;
}

/// A thread's own value counts, where sessions share processors evenly (autogroup), among those of
/// its session only.  The session's value is set where it has no other processes than these.
void let_session_go_first() {
  if (getsid(0) != getpid()) return;
  if (std::FILE* group = std::fopen("/proc/self/autogroup", "w")) {
    std::fprintf(group, "%d", nicest);
    std::fclose(group);
  }
}

[[nodiscard]] bool becomes_nice() {
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  if (setpriority(PRIO_PROCESS, thread, nicest) != 0) return false;
  prctl(PR_SET_TIMERSLACK, 1UL);  // real-time threads have none
  let_session_go_first();
  return true;
}

}  // namespace

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    throw refused("the kernel does not say which cores may be used");
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0)
    throw refused(fmt::format("--cores: no thread can be kept on core {}", core));
}

std::string go_first(precedence how) {
  if (how != precedence::nice && becomes_real_time()) return "real-time";
  if (how != precedence::real_time && becomes_nice()) return "nice -20";
  const std::string none = how == precedence::automatic
                               ? "neither real-time priority nor nice -20 is"
                           : how == precedence::real_time ? "real-time priority is not"
                                                          : "nice -20 is not";
  throw refused(
      fmt::format("{} allowed here, so no time can be taken from other threads; run as root, or "
                  "raise RLIMIT_{}",
                  none, how == precedence::nice ? "NICE" : "RTPRIO"));
}

}  // namespace plait::network::noise
