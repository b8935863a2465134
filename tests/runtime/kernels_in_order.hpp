// SPDX-License-Identifier: BSD-3-Clause
// What real devices must do with kernels of their own language, copies and messages.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/environment.hpp>
#include <plait/device/device_array.hpp>
#include <plait/runtime/runtime.hpp>

namespace plait::test {

inline void submit_add(runtime& rt, const device& gpu, device_array<int>& x, const auto& add_one) {
  rt.task(
      "add", [&add_one](queue q, device_span<int> there) { add_one(q, there); }, on(gpu), inout(x));
}

/// `add_one(queue, x)` and `scale_into(queue, x, y, by)` enqueue kernels.
inline void expect_kernels_follow_copies(runtime& rt, const auto& add_one, const auto& scale_into) {
  constexpr std::size_t n = 1000;
  const device gpu = rt.devices().at(0);
  std::vector<int> host(n);
  std::iota(host.begin(), host.end(), 0);
  std::vector<int> back(n);
  device_array<int> x(gpu, n);
  device_array<int> y(gpu, n);
  rt.copy("there", in(host), out(x));
  for (int i = 0; i < 200; ++i) submit_add(rt, gpu, x, add_one);
  rt.task(
      "scale",
      [&](queue q, device_span<const int> from, device_span<int> to, int by) {
        scale_into(q, from, to, by);
      },
      on(gpu, high), in(x), out(y), 3);
  rt.task(
      "spoil", [](std::vector<int>& h) { h.assign(h.size(), -1); }, out(host));
  submit_add(rt, gpu, x, add_one);
  rt.copy("back", in(y), out(back));
  rt.wait();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(back[i], 3 * (static_cast<int>(i) + 200));
  const device_ledger ledger = rt.ledger(gpu);
  EXPECT_GT(ledger.kernels_s, 0);
  EXPECT_NEAR(ledger.kernels_s + ledger.starved_s + ledger.idle_s, ledger.wall_s, 1e-6);
}

inline void expect_messages_in_a_replay(environment& env, runtime& rt, const auto& add_one) {
  constexpr std::size_t n = 300;
  const device gpu = rt.devices().at(0);
  const int left = (env.rank() + env.size() - 1) % env.size();
  const int right = (env.rank() + 1) % env.size();
  std::vector<int> host(n, 1000 * env.rank());
  device_array<int> mine(gpu, n);
  device_array<int> got(gpu, n);
  rt.copy("there", in(host), out(mine));
  graph step = rt.record([&] {
    submit_add(rt, gpu, mine, add_one);
    rt.send("ring", in(mine), right);
    rt.recv("ring", out(got), left);
    rt.copy("take over", in(got), out(mine));
  });
  rt.replay(step, 25);
  rt.copy("back", in(mine), out(host));
  rt.wait();
  const int from = ((env.rank() - 25) % env.size() + env.size()) % env.size();
  for (const int one : host) ASSERT_EQ(one, 1000 * from + 25);
}

}  // namespace plait::test
