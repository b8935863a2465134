// SPDX-License-Identifier: BSD-3-Clause
// Has the program with SimGrid answer, which may end the process that it runs in.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topology.hpp"

namespace plait::network::simulate {
namespace {

/// A program that has ended, and its standard error.
struct ended_program {
  int status = 0;  ///< as waitpid has it
  std::string complaints;
};

[[nodiscard]] ended_program run(const std::string& program, char** argv) {
  int ends[2];
  if (pipe(ends) != 0) throw error("--topology: no pipe can be made");
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // whoever ends this program ends both
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(program.c_str(), argv);
    _exit(127);
  }
  close(ends[1]);
  ended_program left;
  char bytes[4096];
  for (ssize_t got = 0; child > 0 && (got = read(ends[0], bytes, sizeof bytes)) > 0;)
    left.complaints.append(bytes, static_cast<std::size_t>(got));
  close(ends[0]);
  if (child < 0 || waitpid(child, &left.status, 0) != child)
    throw error("--topology: no process can be started");
  return left;
}

}  // namespace

std::optional<int> prepare_topology(char** argv, const std::string& words,
                                    std::shared_ptr<topology>& /*loaded*/) {
  const auto program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "simulate_simgrid";
  if (!std::filesystem::exists(program))
    throw usage_error(
        "--topology: plait was built without SimGrid; install libsimgrid-dev, version 3.32, and "
        "build plait again");
  const ended_program left = run(program, argv);
  constexpr std::string_view own = "simulate: ";  // what `main` puts before its lines
  std::string reason;
  std::istringstream lines(left.complaints);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(own)) {
      std::fprintf(stderr, "%s\n", line.c_str());
    } else if (reason.empty()) {
      reason = line;
    }
  }
  if (WIFEXITED(left.status)) {
    const int code = WEXITSTATUS(left.status);
    if (code == 0 || code == 2 || code == 3) return code;
  }
  if (WIFSIGNALED(left.status)) {
    const int by = WTERMSIG(left.status);
    if (by == SIGPIPE || by == SIGTERM || by == SIGINT) {  // not SimGrid's fault
      std::signal(by, SIG_DFL);
      std::raise(by);
    }
  }
  if (WIFEXITED(left.status) && reason.empty())
    reason = fmt::format("{} cannot be started", program.string());
  if (reason.empty() && WIFSIGNALED(left.status))
    reason = fmt::format("signal {}", WTERMSIG(left.status));
  throw usage_error(fmt::format("--topology {}: SimGrid has given up: {}", words, reason));
}

}  // namespace plait::network::simulate
