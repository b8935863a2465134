// SPDX-License-Identifier: BSD-3-Clause
// Kernels of CUDA in the dataflow: a task's function launches them on the stream of its queue.  It
// needs nvcc to compile, and a device to do something.
#include <cstdio>
#include <string>
#include <vector>

#include <plait/plait.hpp>

using plait::in, plait::on, plait::out;

constexpr std::size_t n = 1000;

__global__ void relax_kernel(const double* u, double* v, std::size_t cells) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < cells) v[i] = (u[i] + u[i + 2]) / 2;
}

/// Enqueues a kernel, and returns at once.
void relax(plait::queue q, plait::device_span<const double> u, plait::device_span<double> v) {
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>((v.size() + threads - 1) / threads);
  relax_kernel<<<blocks, threads, 0, plait::cuda::stream(q)>>>(u.data(), v.data(), v.size());
  if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess)
    throw plait::error(std::string("relax: ") + cudaGetErrorString(code));
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  const auto share = static_cast<std::size_t>(env.node_rank());
  const auto shares = static_cast<std::size_t>(env.node_size());
  plait::runtime rt{env, {.devices = plait::cuda_devices(share, shares)}};
  if (rt.devices().empty()) {
    std::printf("rank %d has no CUDA device\n", env.rank());
    return 0;
  }
  const plait::device gpu = rt.devices().at(0);

  // A rod, hot at its left end.
  plait::pinned<double> host{gpu, n + 2};
  host[0] = 1;
  plait::device_array<double> u{gpu, n + 2}, v{gpu, n + 2};
  rt.copy("start", in(host), out(u));
  rt.copy("start", in(host), out(v));
  for (int step = 0; step < 50; ++step) {
    rt.task("relax", relax, on(gpu), in(u), out(v.part(1, n)));
    rt.task("relax", relax, on(gpu), in(v), out(u.part(1, n)));
  }
  rt.copy("result", in(u), out(host));
  rt.wait();
  double heat = 0;
  for (std::size_t i = 1; i <= n; ++i) heat += host[i];
  std::printf("rank %d: heat in the rod after 100 steps: %.6f\n", env.rank(), heat);
}
