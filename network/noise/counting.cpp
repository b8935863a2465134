// SPDX-License-Identifier: BSD-3-Clause
#include "counting.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "priority.hpp"

namespace plait::network::noise {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr nanoseconds between_questions = 50ms;

[[nodiscard]] double lost_share(const counting_window& window, const std::atomic<bool>& stopped) {
  moment now = steady_clock::now();
  while (now < window.begin && !stopped) {
    // A thread that has slept is not sure to be back in time, so it waits awake for the last bit.
    if (now < window.begin - 1ms)
      std::this_thread::sleep_until(std::min(window.begin - 1ms, now + between_questions));
    now = steady_clock::now();
  }
  lost_time lost(now);
  while (now < window.end && !stopped.load(std::memory_order_relaxed)) {
    now = steady_clock::now();
    lost.look(now);
  }
  return lost.share();
}

}  // namespace

std::vector<double> count_lost_time(const std::vector<int>& cores,
                                    const std::vector<counting_window>& windows,
                                    const std::function<bool(nanoseconds)>& is_ended) {
  std::vector<double> shares(cores.size());
  std::atomic<bool> stopped = false;
  std::vector<std::jthread> threads;  // joined before what they use is gone
  moment last{};
  for (std::size_t i = 0; i < cores.size(); ++i) {
    last = std::max(last, windows[i].end);
    threads.emplace_back([&, i] {
      stay_on(cores[i]);
      shares[i] = lost_share(windows[i], stopped);
    });
  }
  while (steady_clock::now() < last && !stopped) stopped = is_ended(between_questions);
  threads.clear();
  if (stopped) shares.clear();
  return shares;
}

}  // namespace plait::network::noise
