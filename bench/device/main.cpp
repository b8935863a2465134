// SPDX-License-Identifier: BSD-3-Clause
// Measures what a kernel costs as a task of plait, beside the same kernels enqueued by hand, and
// what plait takes of the host's processors beside a kernel of 100 ms.  Devices are OpenCL's first
// and an emulated one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "measure/base/command_line.hpp"
#include "measure/base/limits.hpp"
#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"
#include "measure/rows/measured_rows.hpp"
#include "processor_time.hpp"
#include "raw_opencl.hpp"
#include "tasks.hpp"

namespace plait::bench::device {
namespace {

using measure::json;

constexpr double long_kernel_s = 0.1;
/// Fewer than a queue holds before it holds its tasks back.
constexpr int kernels_ahead = 48;

struct options {
  load work;
  std::int64_t chains = 64;
  measure::row_options rows;
};

bool parse(options& given, int argc, char** argv, const environment& env) {
  measure::command_line command("Microseconds per empty kernel as a task, beside OpenCL by hand",
                                "device");
  command.option("--kernels", given.work.kernels, "kernels per repetition");
  command.option("--chains", given.chains, "independent chains, of the rows with several");
  command.option("--workers", given.work.workers, "workers of plait");
  measure::add_row_options(command, given.rows);
  return command.parse(argc, argv, env);
}

void check(environment& env, const options& given) {
  measure::check_range("--kernels", given.work.kernels, 100, 100'000'000);
  measure::check_range("--chains", given.chains, 2, 64);
  measure::check_range("--workers", given.work.workers, 1, 64);
  if (env.size() != 1) throw usage_error("device is one process and sends no messages");
  if (std::getenv("PLAIT_DEVICE") != nullptr)
    throw usage_error("PLAIT_DEVICE is set, and device measures devices of its own; unset it");
  measure::check(env, given.rows);
}

/// Returns the rounds of `spin` that take so long, by the least of some times.
std::uint64_t rounds_for(double seconds, raw_opencl& by_hand) {
  const auto least = [&by_hand](std::uint64_t rounds) {
    double took = by_hand.seconds_of_spin(rounds);
    for (int i = 0; i < 4; ++i) took = std::min(took, by_hand.seconds_of_spin(rounds));
    return took;
  };
  std::uint64_t rounds = 1'000'000;
  double took = least(rounds);
  while (took < seconds / 10) {
    rounds *= 2;
    took = least(rounds);
  }
  return static_cast<std::uint64_t>(static_cast<double>(rounds) * seconds / took);
}

/// Measures `body`, which waits for the long kernel.
template <class Body>
json beside_long_kernel(const std::vector<pid_t>& of_driver, Body&& body) {
  const double before = processor_seconds_without(of_driver);
  const ticks start = now_ticks();
  body();
  return {{"processor_ms", 1e3 * (processor_seconds_without(of_driver) - before)},
          {"kernel_ms", 1e3 * ticks_to_seconds(now_ticks() - start)}};
}

/// OpenCL, by hand and as tasks, and its driver's threads.
struct opencl_rows {
  std::unique_ptr<raw_opencl> by_hand;  ///< null: OpenCL has no device
  std::vector<pid_t> threads;           ///< of the driver
  std::unique_ptr<opencl_tasks> tasks;

  explicit opencl_rows(environment& env) {
    const std::vector<pid_t> before = threads_now();
    by_hand = raw_opencl::find();
    if (by_hand == nullptr) return;
    (void)by_hand->run(1, 1);
    threads = threads_since(before, threads_now());
    tasks = std::make_unique<opencl_tasks>(env);
  }
};

void add_opencl(std::vector<measure::measurement>& to, opencl_rows& on, const options& given) {
  for (const int chains : {1, static_cast<int>(given.chains)}) {
    load what = given.work;
    what.chains = chains;
    const std::string column = chains == 1 ? "one chain" : std::to_string(given.chains) + " chains";
    const auto add = [&](const char* row, const std::function<spent()>& run) {
      to.push_back({row, column, [what, run] {
                      const spent all = run();
                      const double us = 1e6 / static_cast<double>(what.kernels);
                      return json{{"us_per_kernel", us * all.wall_s},
                                  {"processor_us_per_kernel", us * all.processor_s}};
                    }});
    };
    add("by hand", [&on, what] { return on.by_hand->run(what.kernels, what.chains); });
    add("plait", [&on, what] { return on.tasks->run(what); });
    add("plait replayed", [&on, what] { return on.tasks->replay(what); });
  }
  const std::uint64_t rounds = rounds_for(long_kernel_s, *on.by_hand);
  to.push_back({"OpenCL device", "beside 100 ms", [&on, rounds] {
                  return beside_long_kernel(on.threads, [&] { on.tasks->spin(rounds); });
                }});
}

/// Adds the ratios to what is by hand, round by round, and prints their mean.
void compare(json& rows) {
  if (!rows.contains("by hand")) return;
  for (const auto& [row, columns] : rows.items()) {
    if (row == "by hand") continue;
    for (auto& [column, cell] : columns.items()) {
      if (!cell.contains("us_per_kernel")) continue;
      const json& base = rows["by hand"][column]["us_per_kernel"]["samples"];
      const json& own = cell["us_per_kernel"]["samples"];
      std::vector<double> ratios;
      for (std::size_t i = 0; i < own.size(); ++i)
        ratios.push_back(own[i].get<double>() / base[i].get<double>());
      cell["of_by_hand"] = measure::to_json(measure::summarize(ratios));
    }
  }
}

void print(const json& rows, const options& given) {
  std::printf("%ld empty kernels, %lld rounds in turns: geometric mean [95 %% interval]\n\n",
              given.work.kernels, static_cast<long long>(given.rows.repeat));
  for (const auto& [row, columns] : rows.items()) {
    for (const auto& [column, cell] : columns.items()) {
      std::printf("%-16s %-14s", row.c_str(), column.c_str());
      for (const auto& [figure, spread] : cell.items()) {
        const measure::mean_interval mean =
            measure::geometric_mean(spread["samples"].get<std::vector<double>>());
        std::printf("  %s %.3g [%.3g, %.3g]", figure.c_str(), mean.mean, mean.low, mean.high);
      }
      std::printf("\n");
    }
  }
}

int run(environment& env, int argc, char** argv) {
  options given;
  if (!parse(given, argc, argv, env)) return measure::exit_verified;
  check(env, given);
  std::vector<measure::measurement> all;
  opencl_rows on(env);
  json about{{"plait", "kernels as tasks"},
             {"plait replayed", "recorded, then replayed"},
             {"by hand", "clEnqueueNDRangeKernel in one queue in order, one clFinish at the end"}};
  json where = json::object();
  if (on.by_hand != nullptr) {
    where["enqueued_ahead"] = enqueued_ahead(env, *on.by_hand, kernels_ahead);
    add_opencl(all, on, given);
  } else {
    about = json::object();
    where["peers_not_built"] = {{"by hand", "a driver of OpenCL, such as pocl-opencl-icd"}};
  }
  about["OpenCL device"] = "processor time of the process without the driver's threads";
  about["emulated device"] = "processor time of the process";
  all.push_back({"emulated device", "beside 100 ms", [&env] {
                   return beside_long_kernel(
                       {}, [&env] { wait_for_emulated_kernel(env, long_kernel_s); });
                 }});
  where["peers"] = about;
  json rows = measure::measure_interleaved(all, measure::repetition_of(given.rows, env));
  compare(rows);
  const json parameters{{"kernels", given.work.kernels},
                        {"chains", given.chains},
                        {"workers", given.work.workers},
                        {"repeat", given.rows.repeat}};
  if (!given.rows.json_file.empty())
    measure::write_result(given.rows.json_file,
                          measure::bench_result("device", parameters, where, rows));
  if (given.rows.json_file == "-") return measure::exit_verified;
  if (on.by_hand == nullptr) {
    std::printf("OpenCL has no device here; install a driver, such as pocl-opencl-icd\n");
  } else {
    std::printf("of a chain of %d kernels %d are enqueued before the first begins\n", kernels_ahead,
                where["enqueued_ahead"].get<int>());
  }
  print(rows, given);
  return measure::exit_verified;
}

}  // namespace
}  // namespace plait::bench::device

int main(int argc, char** argv) {
  // Before anything loads OpenCL: MPI would with all of hwloc, and PoCL would take every core.
  setenv("HWLOC_COMPONENTS", "-opencl", 0);
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "device",
                                     [&] { return plait::bench::device::run(env, argc, argv); });
}
