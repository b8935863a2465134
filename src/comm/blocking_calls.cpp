// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <mutex>
#include <vector>

#include <plait/comm/blocking_calls.hpp>

namespace plait {
namespace {

struct registry {
  std::mutex mutex;
  std::vector<blocking_calls*> runtimes;
};

registry& installed() {
  static registry all;
  return all;
}

}  // namespace

constinit bool blocking_calls::linked = false;

void blocking_calls::install(blocking_calls& of_runtime) {
  std::lock_guard lock(installed().mutex);
  installed().runtimes.push_back(&of_runtime);
}

void blocking_calls::remove(blocking_calls& of_runtime) {
  std::lock_guard lock(installed().mutex);
  std::erase(installed().runtimes, &of_runtime);
}

blocking_calls* blocking_calls::here() {
  std::lock_guard lock(installed().mutex);
  const auto& all = installed().runtimes;
  const auto found = std::ranges::find_if(
      all, [](const blocking_calls* each) { return each->who_calls() != caller::elsewhere; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace plait
