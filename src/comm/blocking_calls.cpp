// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <mutex>
#include <vector>

#include <plait/comm/blocking_calls.hpp>

namespace plait {
namespace {

constinit std::mutex runtimes_mutex;
constinit std::vector<blocking_calls*> runtimes;  ///< under `runtimes_mutex`

}  // namespace

constinit bool blocking_calls::linked = false;

void blocking_calls::install(blocking_calls& of_runtime) {
  std::lock_guard lock(runtimes_mutex);
  runtimes.push_back(&of_runtime);
}

void blocking_calls::remove(blocking_calls& of_runtime) {
  std::lock_guard lock(runtimes_mutex);
  std::erase(runtimes, &of_runtime);
}

blocking_calls* blocking_calls::here() {
  std::lock_guard lock(runtimes_mutex);
  const auto found = std::ranges::find_if(
      runtimes, [](const blocking_calls* each) { return each->who_calls() != caller::elsewhere; });
  return found == runtimes.end() ? nullptr : *found;
}

}  // namespace plait
