// SPDX-License-Identifier: BSD-3-Clause
#include "ending.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include <sys/prctl.h>
#include <unistd.h>

namespace plait::network::noise {

ending::ending(std::optional<pid_t> parent) {
  const pid_t expected = parent.value_or(getppid());
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);  // the threads inherit that
  std::signal(SIGPIPE, SIG_IGN);                   // nobody may listen any more
  prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGTERM));
  has_come_ = getppid() != expected;  // it may have died before it was watched
}

bool ending::comes_within(nanoseconds time) {
  const moment until = std::chrono::steady_clock::now() + time;
  while (!has_come_) {
    const nanoseconds left =
        std::max<nanoseconds>(nanoseconds(0), until - std::chrono::steady_clock::now());
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec wait{whole.count(), (left - whole).count()};
    if (sigtimedwait(&signals_, nullptr, &wait) > 0) {
      has_come_ = true;
    } else if (std::chrono::steady_clock::now() >= until) {
      break;
    }
  }
  return has_come_;
}

}  // namespace plait::network::noise
