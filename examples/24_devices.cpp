// SPDX-License-Identifier: BSD-3-Clause
// A device in the dataflow: kernels, copies and messages of its memory are ordered with tasks of
// the host, and the host is not asked between two kernels.  The device is emulated.
#include <cstdio>
#include <vector>

#include <plait/plait.hpp>

using plait::in, plait::on, plait::out;

constexpr std::size_t n = 1000;

/// Enqueues a kernel that takes 100 us, and returns at once.
void relax(plait::queue q, plait::device_span<const double> u, plait::device_span<double> v) {
  plait::emulated::launch(q, 1e-4, [u, v] {
    for (std::size_t i = 0; i < v.size(); ++i) v.data()[i] = (u.data()[i] + u.data()[i + 2]) / 2;
  });
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.devices = plait::emulated_devices()}};
  const plait::device gpu = rt.devices().at(0);
  const int left = env.rank() > 0 ? env.rank() - 1 : plait::no_rank;
  const int right = env.rank() + 1 < env.size() ? env.rank() + 1 : plait::no_rank;

  // A rod, hot at its left end; each rank has n of its cells and a ghost at either side.
  std::vector<double> host(n + 2, 0.0);
  if (left == plait::no_rank) host.front() = 1;
  plait::device_array<double> u{gpu, n + 2}, v{gpu, n + 2};
  rt.copy("start", in(host), out(u));
  rt.copy("start", in(host), out(v));

  const auto step = [&](plait::device_array<double>& from, plait::device_array<double>& to) {
    rt.send("edge", in(from.part(1, 1)), left);
    rt.send("edge", in(from.part(n, 1)), right);
    rt.recv("ghost", out(from.part(n + 1, 1)), right);
    rt.recv("ghost", out(from.part(0, 1)), left);
    // The inner cells need no ghosts: their kernel runs while messages are under way.
    rt.task("inner", relax, on(gpu), in(from.part(1, n)), out(to.part(2, n - 2)));
    rt.task("rim", relax, on(gpu, plait::high), in(from.part(0, 3)), out(to.part(1, 1)));
    rt.task("rim", relax, on(gpu, plait::high), in(from.part(n - 1, 3)), out(to.part(n, 1)));
  };
  plait::graph two_steps = rt.record([&] {
    step(u, v);
    step(v, u);
  });
  rt.replay(two_steps, 50);

  rt.copy("result", in(u), out(host));
  rt.wait();
  double heat = 0;
  for (std::size_t i = 1; i <= n; ++i) heat += host[i];
  double all = 0;
  rt.allreduce("heat", in(heat), out(all), plait::sum{});
  rt.wait();
  if (env.rank() == 0) std::printf("heat in the rod after 100 steps: %.6f\n", all);
}
