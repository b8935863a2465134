// SPDX-License-Identifier: BSD-3-Clause
#include "turns.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/base/gather.hpp"

namespace plait::bench::counts {
namespace {

/// Of rank 0, of rank 1, and of all others.
constexpr int pipes = 3;

[[nodiscard]] std::string pipe_of(const std::string& folder, int rank) {
  return folder + "/rank" + std::to_string(std::min(rank, pipes - 1));
}

[[nodiscard]] int open_pipe(const std::string& folder, int rank) {
  return open(pipe_of(folder, rank).c_str(), O_RDWR | O_CLOEXEC);
}

/// Returns the folder, or nothing.
[[nodiscard]] std::string make_pipes() {
  std::string folder = "/tmp/plait-counts-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return {};
  for (int rank = 0; rank < pipes; ++rank) {
    if (mkfifo(pipe_of(folder, rank).c_str(), 0600) != 0) return {};
  }
  return folder;
}

}  // namespace

turns::turns(environment& env) : env_(env) {
  const std::string folder =
      measure::broadcast(env, env.rank() == 0 ? make_pipes() : std::string());
  if (folder.empty()) throw error(std::string("no pipes in /tmp: ") + std::strerror(errno));
  own_ = open_pipe(folder, env.rank());
  other_ = open_pipe(folder, env.rank() == 0 ? 1 : 0);
  others_ = open_pipe(folder, pipes - 1);
  const bool opened = measure::all_of(env, own_ >= 0 && other_ >= 0 && others_ >= 0);
  if (env.rank() == 0) {
    for (int rank = 0; rank < pipes; ++rank) unlink(pipe_of(folder, rank).c_str());
    rmdir(folder.c_str());
  }
  if (!opened) throw error("pipes in " + folder + " cannot be opened by all ranks");
}

turns::~turns() {
  for (const int pipe : {own_, other_, others_})
    if (pipe >= 0) close(pipe);
}

void turns::hand_over() const {
  const char turn = 't';
  if (write(other_, &turn, 1) != 1) throw error("the other rank's pipe is closed");
}

void turns::wake_others() const {
  const std::string turns(static_cast<std::size_t>(std::max(0, env_.size() - 2)), 't');
  if (write(others_, turns.data(), turns.size()) != static_cast<ssize_t>(turns.size()))
    throw error("the pipe of the other ranks is closed");
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
