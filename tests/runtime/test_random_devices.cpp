// SPDX-License-Identifier: BSD-3-Clause
// Random programs over devices, the host and messages, against their serial execution.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/emulated.hpp>
#include <plait/device/opencl.hpp>
#include <plait/runtime/runtime.hpp>

#include "cuda_kernels.hpp"
#include "soaking.hpp"
#include "support/mpi_test.hpp"
#include "support/watchdog.hpp"

namespace plait::test {
namespace {

using word = std::uint64_t;
constexpr std::size_t elements = 24;
constexpr std::size_t devices = 2;
constexpr std::size_t places = 6;  ///< arrays of a rank: two of the host, two of each device
constexpr std::size_t of_host = 2;

/// `count` elements of an array of a rank.
struct some {
  int rank = 0;
  std::size_t place = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};
struct step {
  enum class kinds { compute, copy, message } kind;
  some from;
  some to;
  word salt = 0;
  bool urgent = false;
  double seconds = 0;
  int parts = 1;  ///< of a message between devices
};

[[nodiscard]] std::size_t device_of(std::size_t place) {
  return (place - of_host) / 2;
}

void mix(const word* from, word* to, std::size_t count, word salt) {
  for (std::size_t i = 0; i < count; ++i) to[i] = to[i] * 3 + from[i] * 5 + salt + i;
}

/// Returns `mix` in OpenCL C, by another name.
[[nodiscard]] std::string mix_source(const std::string& name) {
  return "kernel void " + name + "(global const ulong* from, global ulong* to, ulong salt) {\n" +
         "  const size_t i = get_global_id(0);\n"
         "  to[i] = to[i] * 3 + from[i] * 5 + salt + i;\n"
         "}\n";
}

/// Devices of one kind.
struct some_devices {
  std::vector<device> all;
  /// Enqueues `mix` on a device.
  std::function<void(queue, device_span<const word>, device_span<word>, word salt, double seconds)>
      mix_there;
};

[[nodiscard]] some_devices emulated_twice(const emulated_options& how) {
  return {emulated_devices(how), [](queue q, device_span<const word> from, device_span<word> to,
                                    word salt, double seconds) {
            emulated::launch(q, seconds, [=] { mix(from.data(), to.data(), to.size(), salt); });
          }};
}

/// The first of OpenCL, as often as programs take devices; none where it has none.  The stand-in
/// for OpenCL knows a kernel that fails at times, "mix_or_fail".
[[nodiscard]] some_devices opencl_twice(const std::string& kernel = "mix_into") {
  some_devices made;
  std::vector<opencl::kernel> kernels;
  while (made.all.size() < devices) {
    const std::vector<device> found = opencl_devices();
    if (found.empty()) return {};
    made.all.push_back(found[0]);
    kernels.emplace_back(found[0], mix_source(kernel), kernel);
  }
  made.mix_there = [all = made.all, kernels](queue q, device_span<const word> from,
                                             device_span<word> to, word salt, double) {
    const bool is_first = to.memory().home == all[0].state();
    opencl::launch(q, kernels[is_first ? 0 : 1], {to.size()}, from, to, salt);
  };
  return made;
}

/// Of CUDA or HIP, two if there are, or one twice, whose context is one.
[[nodiscard]] some_devices driver_twice(driver of, bool is_one, const std::string& kernel) {
  some_devices made;
  while (made.all.size() < devices) {
    const std::vector<device> found = devices_of(of);
    if (found.empty()) return {};
    made.all.push_back(found[is_one ? 0 : made.all.size() % found.size()]);
  }
  made.mix_there = [mix_into = driver_kernel(of, kernel)](queue q, device_span<const word> from,
                                                          device_span<word> to, word salt, double) {
    mix_into.launch(q, to.size(), from, to, salt);
  };
  return made;
}

/// All ranks make the same.
class random_steps {
 public:
  random_steps(std::uint64_t seed, int ranks) : random_(seed), ranks_(ranks) {}

  [[nodiscard]] std::vector<step> some_steps() {
    std::vector<step> all(below(40) + 5);
    for (step& s : all) s = one();
    return all;
  }
  [[nodiscard]] std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

 private:
  [[nodiscard]] some part(std::size_t count) {
    return {static_cast<int>(below(static_cast<std::size_t>(ranks_))), below(places),
            below(elements - count + 1), count};
  }
  [[nodiscard]] step one() {
    const std::size_t count = below(elements) + 1;
    step s{.kind = static_cast<step::kinds>(below(ranks_ > 1 ? 3 : 2)),
           .from = part(count),
           .to = part(count),
           .salt = random_(),
           .urgent = below(3) == 0,
           .seconds = below(4) == 0 ? 3e-5 : 0};
    if (s.kind != step::kinds::message) s.from.rank = s.to.rank;
    if (s.from.place == s.to.place && s.from.rank == s.to.rank) s.from.place = (s.to.place + 1) % 2;
    if (s.from.place >= of_host && s.to.place >= of_host) s.parts = static_cast<int>(below(4));
    // On one device, or on the host: of each the arrays are a pair.
    if (s.kind == step::kinds::compute) s.from.place = s.to.place ^ 1;
    return s;
  }

  std::mt19937_64 random_;
  int ranks_;
};

/// The memory of a rank, as the serial execution has it.
using memory = std::array<std::array<word, elements>, places>;

void run_serially(const std::vector<step>& all, std::vector<memory>& ranks) {
  for (const step& s : all) {
    const word* from = &ranks[static_cast<std::size_t>(s.from.rank)][s.from.place][s.from.first];
    word* to = &ranks[static_cast<std::size_t>(s.to.rank)][s.to.place][s.to.first];
    if (s.kind == step::kinds::compute) {
      mix(from, to, s.to.count, s.salt);
    } else {
      std::copy_n(from, s.to.count, to);
    }
  }
}

/// What this rank's tasks read and write on the host: it outlives their runtime, for a submission
/// may fail while some of them run.
struct host_memory {
  explicit host_memory(const memory& initial) : initial(initial), arrays(of_host) {
    for (std::size_t i = 0; i < of_host; ++i)
      arrays[i].assign(initial[i].begin(), initial[i].end());
  }
  memory initial;
  std::vector<std::vector<word>> arrays;
};

/// The memory of this rank, as plait has it.
class rank_memory {
 public:
  rank_memory(runtime& rt, const some_devices& on, host_memory& host)
      : rt_(rt), on_(on), host_(host.arrays) {
    for (std::size_t i = of_host; i < places; ++i) {
      there_.emplace_back(rt.devices().at(device_of(i)), elements);
      rt.copy("initial", in(std::span(host.initial[i])), out(there_.back()));
    }
  }

  void submit(const step& s, int me) {
    if (s.kind == step::kinds::message) {
      if (s.from.rank == me) {
        with(
            s.from, [&](auto part) { rt_.send("message", in(part), s.to.rank); },
            [&](auto part) { rt_.send("message", in(part), s.to.rank).parts(s.parts); });
      }
      if (s.to.rank == me) {
        with(
            s.to, [&](auto part) { rt_.recv("message", out(part), s.from.rank); },
            [&](auto part) { rt_.recv("message", out(part), s.from.rank).parts(s.parts); });
      }
    } else if (s.to.rank != me) {
      return;
    } else if (s.kind == step::kinds::copy) {
      copy(s);
    } else if (s.to.place < of_host) {
      rt_.task(
          "host",
          [](std::span<const word> from, std::span<word> to, word salt) {
            mix(from.data(), to.data(), to.size(), salt);
          },
          in(host(s.from)), inout(host(s.to)), s.salt);
    } else {
      rt_.task(
          "kernel",
          [this](queue q, device_span<const word> from, device_span<word> to, word salt,
                 double seconds) { on_.mix_there(q, from, to, salt, seconds); },
          on(rt_.devices().at(device_of(s.to.place)), s.urgent ? high : normal),
          in(device_part(s.from)), inout(device_part(s.to)), s.salt, s.seconds);
    }
  }

  void fetch(memory& to) {
    for (std::size_t i = 0; i < places; ++i) {
      if (i >= of_host) rt_.copy("fetch", in(there_[i - of_host]), out(std::span(to[i])));
    }
    rt_.wait();
    for (std::size_t i = 0; i < of_host; ++i) std::ranges::copy(host_[i], to[i].begin());
  }

 private:
  [[nodiscard]] std::span<word> host(const some& s) {
    return std::span(host_[s.place]).subspan(s.first, s.count);
  }
  [[nodiscard]] device_span<word> device_part(const some& s) {
    return there_[s.place - of_host].part(s.first, s.count);
  }
  void with(const some& s, const auto& use_host, const auto& use_device) {
    if (s.place < of_host) {
      use_host(host(s));
    } else {
      use_device(device_part(s));
    }
  }
  void copy(const step& s) {
    if (s.from.place < of_host && s.to.place < of_host) {
      rt_.task(
          "host copy",
          [](std::span<const word> from, std::span<word> to) {
            std::ranges::copy(from, to.begin());
          },
          in(host(s.from)), out(host(s.to)));
    } else if (s.from.place < of_host) {
      rt_.copy("copy", in(host(s.from)), out(device_part(s.to)));
    } else if (s.to.place < of_host) {
      rt_.copy("copy", in(device_part(s.from)), out(host(s.to)));
    } else {
      rt_.copy("copy", in(device_part(s.from)), out(device_part(s.to)));
    }
  }

  runtime& rt_;
  const some_devices& on_;
  std::vector<std::vector<word>>& host_;
  std::vector<device_array<word>> there_;
};

struct random_case {
  std::uint64_t seed;
  double faults = 0;
};

/// Returns the rank's memory at the end, and puts what it should be into `expected`.
/// It runs on `there`, or on emulated devices.
[[nodiscard]] memory run(environment& env, const random_case& c, memory& expected,
                         const some_devices* there = nullptr) {
  random_steps make(c.seed, env.size());
  std::vector<memory> serial(static_cast<std::size_t>(env.size()));
  word next = c.seed;
  for (memory& m : serial)
    for (auto& array : m)
      for (word& w : array) w = next++ * 0x9e3779b97f4a7c15U;
  const auto mine = static_cast<std::size_t>(env.rank());
  const std::vector<step> before = make.some_steps();
  const std::vector<step> repeated = make.some_steps();
  const auto iterations = static_cast<std::uint64_t>(make.below(6));
  const scheduler_options tasks{.workers = 1 + static_cast<int>(make.below(3)),
                                .in_flight = 256 + make.below(200)};
  const emulated_options how{.count = static_cast<int>(devices),
                             .bus_bytes_per_s = 1e9,
                             .latency_s = 1e-6,
                             .delay_s = make.below(3) == 0 ? 0 : 2e-5,
                             .faults = c.faults,
                             .seed = c.seed + mine};
  const some_devices on = there != nullptr ? *there : emulated_twice(how);
  host_memory on_host(serial[mine]);
  memory found{};
  runtime rt{env, {.tasks = tasks, .devices = on.all}};
  rank_memory memory_here(rt, on, on_host);
  const int me = env.rank();
  for (const step& s : before) memory_here.submit(s, me);
  run_serially(before, serial);
  graph all = rt.record([&] {
    for (const step& s : repeated) memory_here.submit(s, me);
  });
  rt.replay(all, iterations);
  for (std::uint64_t i = 0; i < iterations; ++i) run_serially(repeated, serial);
  expected = serial[mine];
  memory_here.fetch(found);
  return found;
}

void expect_serial_bits(const char* what, const some_devices* there) {
  environment& env = test_environment();
  const soak_options options = soak_options_from(words_of_this_process(), 60);
  progress_printer progress(options, env.rank());
  for (std::uint64_t done = 0; done < options.programs; ++done) {
    const std::uint64_t seed = options.seed + done;
    const std::string repeat = "repeat: --programs 1 --seed " + std::to_string(seed) + " on " +
                               std::to_string(env.size()) + " ranks";
    set_current_test(std::string("random programs of ") + what + "; " + repeat);
    memory expected{};
    const memory found = run(env, {.seed = seed}, expected, there);
    for (std::size_t p = 0; p < places; ++p)
      EXPECT_EQ(found[p], expected[p]) << "array " << p << "; " << repeat;
    progress.done(done + 1, seed);
    if (failed_anywhere(env, ::testing::Test::HasFailure())) return;
  }
  if (env.rank() == 0)
    std::printf("%llu programs, of %s\n", static_cast<unsigned long long>(options.programs), what);
}

TEST(random_devices, end_with_the_bits_of_their_serial_execution) {
  expect_serial_bits("devices", nullptr);
}

TEST(random_devices, of_opencl_end_with_the_same_bits) {
  const some_devices there = opencl_twice();
  if (there.all.empty()) GTEST_SKIP() << "OpenCL has no device here";
  expect_serial_bits("OpenCL devices", &there);
}

void expect_serial_bits_by(driver of) {
  if (const std::string why = why_not(of); !why.empty()) GTEST_SKIP() << why;
  for (const bool is_one : {false, true}) {
    const some_devices there = driver_twice(of, is_one, "mix_into");
    const std::string what = std::string(to_string(of)) + (is_one ? " device, twice" : " devices");
    expect_serial_bits(what.c_str(), &there);
  }
}

TEST(random_devices, of_cuda_end_with_the_same_bits) {
  expect_serial_bits_by(driver::cuda);
}

TEST(random_devices, of_hip_end_with_the_same_bits) {
  expect_serial_bits_by(driver::hip);
}

/// Alone: a rank that fails gives up its messages, and others would wait for them.
void expect_faults_named(const std::string& device, const std::string& what,
                         const std::function<some_devices()>& make, double faults) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const some_devices there = make();
    memory expected{};
    try {
      const memory found = run(test_environment(), {.seed = seed, .faults = faults}, expected,
                               there.all.empty() ? nullptr : &there);
      ASSERT_EQ(found, expected) << "seed " << seed;
    } catch (const error& e) {
      ++failed;
      const std::string why = e.what();
      ASSERT_NE(why.find(device), std::string::npos) << why;
      ASSERT_NE(why.find(what), std::string::npos) << why;
      ASSERT_NE(why.find(" '"), std::string::npos) << why;  // a task
    }
  }
  EXPECT_GT(failed, 0);
}

TEST(random_devices, a_fault_is_an_error_that_names_device_and_task_and_nothing_is_lost) {
  if (test_environment().size() > 1) return;
  expect_faults_named(
      "emulated device ", "injected fault", [] { return some_devices(); }, 0.01);
}

TEST(random_devices, a_fault_of_opencl_is_an_error_that_names_device_and_task) {
  if (test_environment().size() > 1) return;
  if (std::getenv("PLAIT_TEST_OPENCL") == nullptr) GTEST_SKIP() << "real devices do not fail";
  expect_faults_named(
      "OpenCL device 0: error -5 (CL_OUT_OF_RESOURCES) in 'kernel'", "",
      [] { return opencl_twice("mix_or_fail"); }, 0);
}

void expect_faults_named_by(driver of, const std::string& fault) {
  if (test_environment().size() > 1) return;
  if (!is_stand_in()) GTEST_SKIP() << "a fault of a real device would be the last thing it does";
  bool is_one = false;
  const auto make = [&] {
    driver_functions::of(of).begin_again();
    is_one = !is_one;
    return driver_twice(of, is_one, "mix_or_fail");
  };
  expect_faults_named(std::string(to_string(of)) + " device ", fault, make, 0);
  driver_functions::of(of).begin_again();
}

TEST(random_devices, a_fault_of_cuda_is_an_error_that_names_device_and_task) {
  expect_faults_named_by(driver::cuda, ": error 700 (CUDA_ERROR_ILLEGAL_ADDRESS)");
}

TEST(random_devices, a_fault_of_hip_is_an_error_that_names_device_and_task) {
  expect_faults_named_by(driver::hip, ": error 700 (hipErrorIllegalAddress)");
}

}  // namespace
}  // namespace plait::test
