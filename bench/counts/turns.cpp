// SPDX-License-Identifier: BSD-3-Clause
#include "turns.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/base/gather.hpp"

namespace plait::bench::counts {
namespace {

[[nodiscard]] std::string pipe_of(const std::string& folder, int rank) {
  return folder + "/rank" + std::to_string(rank);
}

/// Returns the folder, or nothing.
[[nodiscard]] std::string make_pipes() {
  std::string folder = "/tmp/plait-counts-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return {};
  for (const int rank : {0, 1}) {
    if (mkfifo(pipe_of(folder, rank).c_str(), 0600) != 0) return {};
  }
  return folder;
}

}  // namespace

turns::turns(environment& env) : env_(env) {
  const std::string folder =
      measure::broadcast(env, env.rank() == 0 ? make_pipes() : std::string());
  if (folder.empty()) throw error(std::string("no pipes in /tmp: ") + std::strerror(errno));
  own_ = open(pipe_of(folder, env.rank()).c_str(), O_RDWR | O_CLOEXEC);
  other_ = open(pipe_of(folder, 1 - env.rank()).c_str(), O_RDWR | O_CLOEXEC);
  const bool opened = measure::all_of(env, own_ >= 0 && other_ >= 0);
  if (env.rank() == 0) {
    for (const int rank : {0, 1}) unlink(pipe_of(folder, rank).c_str());
    rmdir(folder.c_str());
  }
  if (!opened) throw error("pipes in " + folder + " cannot be opened by both ranks");
}

turns::~turns() {
  if (own_ >= 0) close(own_);
  if (other_ >= 0) close(other_);
}

void turns::hand_over() const {
  const char turn = 't';
  if (write(other_, &turn, 1) != 1) throw error("the other rank's pipe is closed");
}

void turns::wait() const {
  char turn = 0;
  ssize_t got = 0;
  do {
    got = read(own_, &turn, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) throw error("the own pipe is closed");
}

}  // namespace plait::bench::counts
