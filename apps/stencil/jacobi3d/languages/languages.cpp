// SPDX-License-Identifier: BSD-3-Clause
#include "languages.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <dlfcn.h>
#include <plait/plait.h>

#include "measure/compare/steps_of_run.hpp"
#include "pieces.hpp"

namespace jacobi3d {
namespace {

/// Calls of a language.  Each throws where it fails, and the language has said why.
struct calls {
  std::function<int(const jacobi3d_block&)> start;  ///< returns the number of workers
  std::function<void(std::int64_t steps)> run;      ///< begins the ledger anew
  std::function<plait::ledger_entry(int worker)> ledger;
  std::function<void()> finish;
};

void expect(int code, const char* what) {
  if (code != 0) throw plait::error(std::string(what) + " failed");
}

class in_language final : public variant {
 public:
  in_language(plait::environment& env, const plait::runtime_options& how, calls language)
      : env_(env), how_(how), call_(std::move(language)) {}

  void prepare(problem& p) override {
    pieces_.emplace(env_, p, how_);
    workers_ = call_.start(pieces_->block());
  }

  void run(problem& p, int steps, const plait::measure::step_range& recorded) override {
    forget_kernel_events();
    began_s_ = plait::ticks_to_seconds(plait::now_ticks());
    call_.run(steps);
    steps_ = steps;
    kept_ = recorded;
    swap_if_odd(p, steps);
  }

  [[nodiscard]] plait::measure::run_report finish(problem&) override {
    plait::measure::run_report report;
    for (int worker = 0; worker < workers_; ++worker) report.ledger.push_back(call_.ledger(worker));
    report.workers = workers_;
    keep_steps(report, kernel_events(env_.rank()), began_s_, steps_, kept_);
    call_.finish();
    pieces_.reset();
    return report;
  }

 private:
  plait::environment& env_;
  const plait::runtime_options how_;
  calls call_;
  std::optional<step_pieces> pieces_;
  int workers_ = 1;
  int steps_ = 0;
  double began_s_ = 0;
  plait::measure::step_range kept_;
};

/// C and Fortran hand out the runtime of plait.h, of which this program asks the figures.
[[maybe_unused]] calls of_library(int (*start)(const jacobi3d_block*, plait_runtime**),
                                  int (*run)(std::int64_t), int (*finish)()) {
  const auto rt = std::make_shared<plait_runtime*>(nullptr);
  return {.start =
              [=](const jacobi3d_block& block) {
                expect(start(&block, rt.get()), "the start");
                int workers = 0;
                expect(plait_workers(*rt, &workers), "plait_workers");
                return workers;
              },
          .run =
              [=](std::int64_t steps) {
                expect(plait_reset_ledger(*rt), "plait_reset_ledger");
                expect(run(steps), "a step");
              },
          .ledger =
              [=](int worker) {
                plait_ledger l = PLAIT_LEDGER_INIT;
                expect(plait_get_ledger(*rt, worker, &l), "plait_get_ledger");
                return plait::ledger_entry{.worker = worker,
                                           .compute_s = l.compute_s,
                                           .posting_s = l.posting_s,
                                           .exposed_s = l.exposed_s,
                                           .overhead_s = l.overhead_s,
                                           .idle_s = l.idle_s,
                                           .wall_s = l.wall_s};
              },
          .finish = [=] { expect(finish(), "the end"); }};
}

#ifdef JACOBI3D_PYTHON
/// Loads the interpreter: modules of Python find its functions among those of the program.
jacobi3d_python_call* python() {
  void* const library = dlopen(JACOBI3D_PYTHON, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw plait::error(std::string("plait_python: ") + dlerror());
  return reinterpret_cast<jacobi3d_python_call*>(dlsym(library, "jacobi3d_python"));
}

calls of_python() {
  jacobi3d_python_call* const call = python();
  return {.start =
              [call](const jacobi3d_block& block) {
                double workers = 0;
                expect(call("start", reinterpret_cast<std::int64_t>(&block), &workers, 1),
                       "the start");
                return static_cast<int>(workers);
              },
          .run = [call](std::int64_t steps) { expect(call("run", steps, nullptr, 0), "a step"); },
          .ledger =
              [call](int worker) {
                double l[6] = {};
                expect(call("ledger", worker, l, 6), "the ledger");
                return plait::ledger_entry{.worker = worker,
                                           .compute_s = l[0],
                                           .posting_s = l[1],
                                           .exposed_s = l[2],
                                           .overhead_s = l[3],
                                           .idle_s = l[4],
                                           .wall_s = l[5]};
              },
          .finish = [call] { expect(call("finish", 0, nullptr, 0), "the end"); }};
}
#endif

}  // namespace

#ifdef JACOBI3D_C
std::unique_ptr<variant> make_plait_c(plait::environment& env, const plait::runtime_options& how) {
  return std::make_unique<in_language>(
      env, how, of_library(jacobi3d_c_start, jacobi3d_c_run, jacobi3d_c_finish));
}
#endif
#ifdef JACOBI3D_FORTRAN
std::unique_ptr<variant> make_plait_fortran(plait::environment& env,
                                            const plait::runtime_options& how) {
  return std::make_unique<in_language>(
      env, how, of_library(jacobi3d_fortran_start, jacobi3d_fortran_run, jacobi3d_fortran_finish));
}
#endif
#ifdef JACOBI3D_PYTHON
std::unique_ptr<variant> make_plait_python(plait::environment& env,
                                           const plait::runtime_options& how) {
  return std::make_unique<in_language>(env, how, of_python());
}
#endif

}  // namespace jacobi3d
