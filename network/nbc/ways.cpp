// SPDX-License-Identifier: BSD-3-Clause
#include "ways.hpp"

#include <thread>

#include "measure/base/mpi_check.hpp"
#include "measure/load/transport_cost.hpp"
#include "measure/rows/network_options.hpp"

namespace plait::network::nbc {
namespace {

using measure::check_mpi;

MPI_Request started(buffers& data) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(data.what.start(data, request), "a non-blocking collective");
  return request;
}

bool test(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void wait(MPI_Request& request) {
  check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

template <class Body>
double seconds_of(Body&& body) {
  const ticks start = now_ticks();
  body();
  return ticks_to_seconds(now_ticks() - start);
}

class blocking_way final : public way {
 public:
  explicit blocking_way(buffers& data) : data_(data) {}
  void pure() override { call_blocking(data_); }
  measure::step_times beside(measure::cut_work& what) override {
    measure::step_times spent;
    spent.overall_s = seconds_of([&] {
      spent.start_s = seconds_of([&] { call_blocking(data_); });
      what.run();
    });
    spent.working_s = what.take_seconds();
    return spent;
  }

 private:
  buffers& data_;
};

class nonblocking_way final : public way {
 public:
  nonblocking_way(buffers& data, bool tests) : data_(data), tests_(tests) {}
  void pure() override {
    MPI_Request request = started(data_);
    wait(request);
  }
  measure::step_times beside(measure::cut_work& what) override {
    measure::step_times spent;
    spent.overall_s = seconds_of([&] {
      MPI_Request request = MPI_REQUEST_NULL;
      spent.start_s = seconds_of([&] { request = started(data_); });
      if (tests_) {
        what.run([&] { spent.tests_s += seconds_of([&] { (void)test(request); }); });
      } else {
        what.run();
      }
      spent.wait_s = seconds_of([&] { wait(request); });
    });
    spent.working_s = what.take_seconds();
    return spent;
  }

 private:
  buffers& data_;
  bool tests_;
};

class task_way final : public way {
 public:
  task_way(environment& env, buffers& data, progress policy, collective::back_end back_end)
      : data_(data),
        how_{.back_end = back_end},
        rt_(env, {.engine = {.policy = policy}, .tasks = {.workers = 1}}) {}
  void pure() override {
    data_.what.submit(rt_, data_, how_);
    rt_.wait();
  }
  // Whatever is not work is the runtime's: submission, posting, polling, waiting.
  measure::step_times beside(measure::cut_work& what) override {
    measure::step_times spent;
    spent.overall_s = seconds_of([&] {
      spent.start_s = seconds_of([&] { data_.what.submit(rt_, data_, how_); });
      what.submit(rt_);
      rt_.wait();
    });
    spent.working_s = what.take_seconds();
    spent.wait_s = spent.overall_s - spent.working_s - spent.start_s;
    return spent;
  }

 private:
  buffers& data_;
  collective_options how_;
  runtime rt_;
};

std::vector<named_way> make_all() {
  std::vector<named_way> all{
      {measure::blocking_row, "the blocking call, then the work",
       [](environment&, buffers& data) { return std::make_unique<blocking_way>(data); }},
      {measure::nonblocking_row, "MPI_I..., the work, MPI_Wait",
       [](environment&, buffers& data) { return std::make_unique<nonblocking_way>(data, false); }},
      {measure::tested_row, "as nonblocking, MPI_Test after each piece of the work",
       [](environment&, buffers& data) { return std::make_unique<nonblocking_way>(data, true); }}};
  named_way library{"plait library",
                    "as plait auto, but the collective task is the library's own MPI_I...",
                    [](environment& env, buffers& data) {
                      return std::make_unique<task_way>(env, data, progress::automatic,
                                                        collective::back_end::library);
                    },
                    false};
  for (const progress policy : measure::task_policies())
    all.push_back(
        {measure::row_of(policy),
         "a collective task and tasks of work; progress: " + std::string(to_string(policy)),
         [policy](environment& env, buffers& data) {
           return std::make_unique<task_way>(env, data, policy, collective::back_end::schedules);
         }});
  all.insert(all.begin() + ways_by_default - 1, std::move(library));
  return all;
}

}  // namespace

const std::vector<named_way>& all_ways() {
  static const std::vector<named_way> all = make_all();
  return all;
}

void call_blocking(buffers& data) {
  check_mpi(data.what.blocking(data), "a blocking collective");
}

void call_sparsely(buffers& data) {
  MPI_Request request = started(data);
  while (!test(request)) std::this_thread::sleep_for(measure::between_looks);
}

}  // namespace plait::network::nbc
