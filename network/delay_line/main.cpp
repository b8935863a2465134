// SPDX-License-Identifier: BSD-3-Clause
// Delays what nodes of an emulated cluster send, where the kernel cannot (no netem).  The plait
// command starts it in the namespace of the cluster's switch and ends it by SIGTERM.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <sched.h>
#include <sys/prctl.h>

#include "forwarder.hpp"

namespace plait::network::delay_line {
namespace {

volatile std::sig_atomic_t is_stopped = 0;

/// Blocks the signals that end the program except while it sleeps.  Returns the mask for sleeping.
[[nodiscard]] sigset_t end_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { is_stopped = 1; };
  sigset_t ends, before;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    sigaction(signal, &action, nullptr);
    sigaddset(&ends, signal);
  }
  sigprocmask(SIG_BLOCK, &ends, &before);
  return before;
}

/// A frame that waits for a processor arrives late, so this thread goes before others where it may.
void hurry() {
  const sched_param least{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  (void)sched_setscheduler(0, SCHED_FIFO, &least);
  prctl(PR_SET_TIMERSLACK, 1UL);
}

int run(int argc, char** argv) {
  CLI::App command{"Delays what leaves the nodes of an emulated cluster", "delay_line"};
  double delay_us = 0;
  std::vector<std::string> links;
  command.add_option("--delay-us", delay_us, "of every frame, one way, in µs")
      ->required()
      ->check(CLI::Range(0.0, 1e7));
  command.add_option("links", links, "makes devices NAME, for the switch, and NAMEx, for the node")
      ->required();
  CLI11_PARSE(command, argc, argv);

  const sigset_t waiting = end_on_signals();
  forwarder lines(links, std::chrono::nanoseconds(static_cast<std::int64_t>(1e3 * delay_us)));
  hurry();
  std::puts("ready");
  std::fflush(stdout);
  lines.run(is_stopped, waiting);
  return 0;
}

}  // namespace
}  // namespace plait::network::delay_line

int main(int argc, char** argv) {
  try {
    return plait::network::delay_line::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "delay_line: %s\n", error.what());
    return 2;
  }
}
