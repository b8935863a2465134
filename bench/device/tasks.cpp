// SPDX-License-Identifier: BSD-3-Clause
#include "tasks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace plait::bench::device {
namespace {

using word = device_array<std::uint32_t>;

constexpr std::size_t in_flight_limit = 4096;

[[nodiscard]] plait::device first_device() {
  const std::vector<plait::device> found = opencl_devices();
  PLAIT_EXPECTS(!found.empty(), "OpenCL has a device");
  return found.front();
}

/// The elements that chains are of, each in memory of its own.
[[nodiscard]] std::vector<word> words_on(const plait::device& gpu, int chains) {
  std::vector<word> all;
  for (int i = 0; i < chains; ++i) all.emplace_back(gpu, 1);
  return all;
}

void submit(runtime& rt, const plait::device& gpu, const opencl::kernel& nothing,
            std::vector<word>& chains, long kernels) {
  for (long i = 0; i < kernels; ++i) {
    rt.task(
        "nothing",
        [&nothing](queue q, device_span<std::uint32_t> x) { opencl::launch(q, nothing, {1}, x); },
        on(gpu), inout(chains[static_cast<std::size_t>(i) % chains.size()]));
  }
}

/// Calls `open` once, by itself after a while.
class gate_keeper {
 public:
  explicit gate_keeper(std::function<void()> open) : open_(std::move(open)) {}
  ~gate_keeper() {
    call();
    late_.join();
  }
  gate_keeper(const gate_keeper&) = delete;
  gate_keeper& operator=(const gate_keeper&) = delete;

  void call() {
    std::lock_guard lock(mutex_);
    if (!is_open_) open_();
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  static constexpr std::chrono::seconds patience{2};

  std::function<void()> open_;
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
  std::thread late_{[this] {
    std::unique_lock lock(mutex_);
    if (opened_.wait_for(lock, patience, [this] { return is_open_; })) return;
    lock.unlock();
    call();
  }};
};

}  // namespace

opencl_tasks::opencl_tasks(environment& env)
    : env_(env),
      gpu_(first_device()),
      nothing_(gpu_, kernel_source, "nothing"),
      spin_(gpu_, kernel_source, "spin") {}

runtime_options opencl_tasks::options(int workers) const {
  return {.tasks = {.workers = workers, .in_flight = in_flight_limit}, .devices = {gpu_}};
}

spent opencl_tasks::run(const load& what) const {
  runtime rt{env_, options(what.workers)};
  std::vector<word> chains = words_on(gpu_, what.chains);
  const auto some = [&](long kernels) {
    const stopwatch watch;
    submit(rt, gpu_, nothing_, chains, kernels);
    rt.wait();
    return watch.so_far();
  };
  (void)some(what.kernels / 10);
  return some(what.kernels);
}

spent opencl_tasks::replay(const load& what) const {
  runtime rt{env_, options(what.workers)};
  std::vector<word> chains = words_on(gpu_, what.chains);
  constexpr long recorded_kernels = 1024;
  const long iterations = std::max(10L, what.kernels / recorded_kernels);
  graph recorded = rt.record([&] { submit(rt, gpu_, nothing_, chains, recorded_kernels); });
  const auto some = [&](long times) {
    const stopwatch watch;
    rt.replay(recorded, static_cast<std::uint64_t>(times));
    rt.wait();
    return watch.so_far();
  };
  (void)some(iterations / 10);
  const spent all = some(iterations);
  // Whole iterations were run; the answer is for the kernels asked for.
  const double share =
      static_cast<double>(what.kernels) / static_cast<double>(iterations * recorded_kernels);
  return {all.wall_s * share, all.processor_s * share};
}

void opencl_tasks::spin(std::uint64_t rounds) const {
  runtime rt{env_, options(1)};
  word x(gpu_, 1);
  rt.task(
      "spin",
      [this, rounds](queue q, device_span<std::uint32_t> there) {
        opencl::launch(q, spin_, {1}, there, rounds);
      },
      on(gpu_), out(x));
  rt.wait();
}

int enqueued_ahead(environment& env, const raw_opencl& by_hand, int kernels) {
  const plait::device gpu = first_device();
  const opencl::kernel nothing(gpu, kernel_source, "nothing");
  runtime rt{env, {.tasks = {.workers = 1}, .devices = {gpu}}};
  word x(gpu, 1);
  _cl_event* closed = nullptr;
  std::atomic<int> enqueued{0};
  int ahead = 0;
  {
    gate_keeper gate([&] {
      ahead = enqueued;
      if (closed != nullptr) by_hand.open(closed);
    });
    for (int i = 0; i < kernels; ++i) {
      rt.task(
          "nothing",
          [&, i](queue q, device_span<std::uint32_t> there) {
            if (i == 0) closed = by_hand.close(opencl::context_of(gpu), opencl::queue_of(q));
            opencl::launch(q, nothing, {1}, there);
            if (++enqueued == kernels) gate.call();
          },
          on(gpu), inout(x));
    }
    rt.wait();
  }
  return ahead;
}

void wait_for_emulated_kernel(environment& env, double seconds) {
  runtime rt{env, {.tasks = {.workers = 1}, .devices = emulated_devices()}};
  const plait::device gpu = rt.devices().at(0);
  word x(gpu, 1);
  rt.task(
      "sleep", [seconds](queue q, device_span<std::uint32_t>) { emulated::launch(q, seconds, {}); },
      on(gpu), out(x));
  rt.wait();
}

}  // namespace plait::bench::device
