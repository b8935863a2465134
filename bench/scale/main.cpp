// SPDX-License-Identifier: BSD-3-Clause
// What a rank needs, by the number of ranks: memory of plait's after each of several uses, and the
// time to begin and to end.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "allocated.hpp"
#include "measure/base/command_line.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"
#include "measure/rows/measured_rows.hpp"

namespace plait::bench::scale {
namespace {

/// One stage of a rank: what plait has allocated when it is over, and the time it took.
struct stage {
  const char* name;
  double kib;
  double ms;
};

/// Runs stages, and remembers what this rank took.
class stages {
 public:
  template <class Body>
  void run(const char* name, Body&& body) {
    const auto began = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    all_.push_back({name, (static_cast<double>(allocated_bytes()) - before_) / 1024, took.count()});
  }
  /// Returns rows[stage]["rank"]: medians, quartiles and samples are those of ranks.  Collective.
  [[nodiscard]] measure::json rows(environment& env) const {
    measure::json rows = measure::json::object();
    for (const stage& one : all_) {
      const auto of_ranks = [&env](double own) {
        return measure::to_json(measure::summarize(measure::all_values(env, own)));
      };
      measure::json kib = of_ranks(one.kib);
      measure::json ms = of_ranks(one.ms);
      rows[one.name]["rank"] = {{"allocated_kib", std::move(kib)}, {"took_ms", std::move(ms)}};
    }
    return rows;
  }

 private:
  double before_ = static_cast<double>(allocated_bytes());
  std::vector<stage> all_;
};

constexpr int steps = 100;
constexpr std::size_t cells = 512;

/// A ring: messages to and from two neighbours, and tasks between them.
void exchange(runtime& rt, int rank, int size) {
  std::array<std::vector<double>, 2> from{std::vector<double>(cells), std::vector<double>(cells)};
  std::vector<double> own(cells, rank);
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;
  for (int step = 0; step < steps; ++step) {
    rt.recv("ghost", out(from[0]), left, 1);
    rt.recv("ghost", out(from[1]), right, 2);
    rt.send("edge", in(own), left, 2);
    rt.send("edge", in(own), right, 1);
    rt.task(
        "mean",
        [](const std::vector<double>& a, const std::vector<double>& b, std::vector<double>& to) {
          for (std::size_t i = 0; i < to.size(); ++i) to[i] = (a[i] + b[i]) / 2;
        },
        in(from[0]), in(from[1]), inout(own));
  }
  rt.wait();
}

void combine(runtime& rt) {
  std::array<double, 8> x{};
  for (int i = 0; i < steps / 10; ++i) {
    rt.allreduce("sum", inout(x));
    rt.bcast("result", inout(x), 0);
    rt.barrier("all", inout(x));
  }
  rt.wait();
}

int run(int argc, char** argv) {
  stages taken;
  measure::row_options rows;
  std::optional<environment> env;
  taken.run("environment", [&] { env.emplace(argc, argv); });
  return measure::run_program(*env, "scale", [&] {
    measure::command_line command("Memory of plait's and times to begin and end, by stages",
                                  "scale");
    command.option("--json", rows.json_file, "File for the result; - = standard output");
    command.flag("--progress", rows.progress, "@progress lines on standard error");
    if (!command.parse(argc, argv, *env)) return measure::exit_verified;
    measure::check_writable(*env, "--json", rows.json_file);
    const int rank = env->rank();
    const int size = env->size();
    std::optional<runtime> rt;
    taken.run("runtime", [&] { rt.emplace(*env, runtime_options{.tasks = {.workers = 1}}); });
    taken.run("neighbours", [&] { exchange(*rt, rank, size); });
    taken.run("collectives", [&] { combine(*rt); });
    std::vector<double> memory(cells);
    std::vector<double> mine(cells, rank);
    std::optional<window<double>> opened;
    taken.run("window", [&] {
      opened.emplace(rt->window(memory));
      rt->put("put", *opened, (rank + 1) % size, 0, in(mine));
      rt->wait();
    });
    taken.run("end of the runtime", [&] {
      opened.reset();
      rt.reset();
    });
    measure::json found = taken.rows(*env);
    measure::finish_rows(*env, rows, "scale", {{"steps", steps}}, measure::json::object(),
                         std::move(found));
    return measure::exit_verified;
  });
}

}  // namespace
}  // namespace plait::bench::scale

int main(int argc, char** argv) {
  return plait::bench::scale::run(argc, argv);
}
