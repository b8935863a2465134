// SPDX-License-Identifier: BSD-3-Clause
// Start, end and communicators.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include <plait/comm/mpi.hpp>
#include <plait/comm/token.hpp>
#include <plait/core/error.hpp>

#include "c/calls.hpp"

namespace plait::c {
namespace {

[[nodiscard]] runtime_options options_of(const plait_options* given) {
  const plait_options own = own_version(given, "plait_options");
  if (own.policy < PLAIT_POLICY_AUTOMATIC || own.policy > PLAIT_POLICY_NONE)
    throw usage_error("plait_options: policy is " + std::to_string(own.policy));
  if (own.workers < 0)
    throw usage_error("plait_options: workers is " + std::to_string(own.workers));
  runtime_options options;
  options.tasks.workers = own.workers;
  options.tasks.in_flight = own.in_flight;
  options.tasks.checked = own.checked != 0;
  if (own.stall_report_s != 0) options.tasks.stall_report_s = own.stall_report_s;
  options.engine.policy = static_cast<progress>(own.policy);
  if (own.worst_delay_s != 0) options.engine.worst_delay_s = own.worst_delay_s;
  options.stall_aborts = own.stall_aborts != 0;
  options.compare_sizes = own.trusts_sizes == 0;
  return options;
}

/// A program that leaves by `exit` in the midst, as Fortran's `stop` does, leaves the other ranks
/// waiting: the job ends, with one line.
void at_exit() {
  plait_runtime* const rt = living();
  if (rt == nullptr) return;
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) return;
  rt->env.abort("the program ends, and plait_finalize has not been called");
}

[[nodiscard]] int expect_mpi() noexcept {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started != 0 && ended == 0) return PLAIT_SUCCESS;
  return fail(PLAIT_ERR_STATE,
              started == 0 ? "plait_init: MPI is not initialised; call MPI_Init_thread before"
                           : "plait_init: MPI has ended");
}

/// No exception is under way where the environment ends: it would end the job then.
int start(const guest_of& program, const plait_options* given, plait_runtime** made) noexcept {
  std::unique_ptr<plait_runtime> rt;
  std::exception_ptr failure;
  try {
    expect_given(made, "plait_init", "place for the runtime");
    *made = nullptr;
    if (living() != nullptr) throw state_error("plait_init: a process has one runtime at a time");
    const runtime_options options = options_of(given);
    rt = std::make_unique<plait_runtime>(program);
    rt->joined.emplace(rt->env, options);
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure != nullptr) {
    rt.reset();
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      return failed(false);
    }
  }
  static const int registered = std::atexit(&at_exit);
  (void)registered;
  set_living(rt.get());
  *made = rt.release();
  return PLAIT_SUCCESS;
}

/// Waits until nothing is left; returns the code of the first failure.
[[nodiscard]] int drain(plait_runtime& rt) noexcept {
  int code = PLAIT_SUCCESS;
  for (;;) {
    try {
      rt.joined->wait();
      return code;
    } catch (...) {
      if (code == PLAIT_SUCCESS) code = failed(true);
    }
  }
}

[[nodiscard]] int adopt_native(plait_runtime* rt, const char* function, MPI_Comm comm,
                               const char* name, plait_comm** made) noexcept {
  return call(rt, function, from::to_wait, [&] {
    expect_given(made, function, "place for the communicator");
    *made = nullptr;
    expect_given(name, function, "name");
    if (comm == MPI_COMM_NULL) throw usage_error(std::string(function) + ": MPI_COMM_NULL");
    rt->communicators.push_back(
        std::make_unique<plait_comm>(plait_comm{adopt(rt->env, comm, name)}));
    *made = rt->communicators.back().get();
  });
}

}  // namespace
}  // namespace plait::c

using namespace plait::c;

int plait_prepare(void) {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0)
    return fail(PLAIT_ERR_STATE, "plait_prepare: MPI reads these settings in MPI_Init");
  try {
    (void)plait::environment::prepare_transport();
    return PLAIT_SUCCESS;
  } catch (...) {
    return failed(false);
  }
}

int plait_init(MPI_Comm comm, const plait_options* options, plait_runtime** made) {
  if (const int code = expect_mpi()) return code;
  return start({comm}, options, made);
}

int plait_init_f(int comm, const plait_options* options, plait_runtime** made) {
  if (const int code = expect_mpi()) return code;
  return start({plait::from_fortran(comm)}, options, made);
}

int plait_finalize(plait_runtime** ending) {
  if (ending == nullptr) return fail(PLAIT_ERR_USAGE, "plait_finalize: a null pointer");
  plait_runtime* const rt = *ending;
  int code = call(rt, "plait_finalize", from::program, [rt] {
    if (rt->windows > 0) {
      throw state_error("plait_finalize: " + std::to_string(rt->windows) +
                        " windows are open; plait_window_free ends them");
    }
    if (rt->to().recording()) (void)rt->to().end_record(false);
  });
  if (code != PLAIT_SUCCESS) return code;
  code = drain(*rt);
  for (plait_graph* graph : rt->graphs) graph->recorded.reset();
  for (plait_mover* mover : rt->movers) mover->plan.reset();
  set_living(nullptr);
  delete rt;
  *ending = nullptr;
  return code;
}

void plait_abort(plait_runtime* rt, const char* text) {
  const char* const why = text != nullptr ? text : "plait_abort";
  (void)rt;  // a process has one
  if (plait_runtime* const one = living(); one != nullptr) one->env.abort(why);
  plait::detail::print_last_words(why);
  plait::detail::abort_job();
}

int plait_rank(plait_runtime* rt, int* rank) {
  return plait_comm_rank(rt, nullptr, rank);
}

int plait_size(plait_runtime* rt, int* size) {
  return plait_comm_size(rt, nullptr, size);
}

int plait_workers(plait_runtime* rt, int* workers) {
  return call(rt, "plait_workers", from::anywhere, [&] {
    expect_given(workers, "plait_workers", "place for the number");
    *workers = rt->joined->workers();
  });
}

int plait_get_policy(plait_runtime* rt, const char** policy, const char** reason) {
  return call(rt, "plait_get_policy", from::anywhere, [&] {
    const plait::engine::choice& chosen = rt->joined->progress_choice();
    if (policy != nullptr) *policy = chosen.name.c_str();
    if (reason != nullptr) *reason = chosen.reason.c_str();
  });
}

int plait_adopt(plait_runtime* rt, MPI_Comm comm, const char* name, plait_comm** made) {
  return adopt_native(rt, "plait_adopt", comm, name, made);
}

int plait_adopt_f(plait_runtime* rt, int comm, const char* name, plait_comm** made) {
  return adopt_native(rt, "plait_adopt_f", plait::from_fortran(comm), name, made);
}

int plait_split(plait_runtime* rt, plait_comm* whole, const char* name, int colour, int key,
                plait_comm** made) {
  return call(rt, "plait_split", from::to_wait, [&] {
    expect_given(made, "plait_split", "place for the communicator");
    *made = nullptr;
    expect_given(name, "plait_split", "name");
    const plait::communicator of = whole == nullptr ? rt->env.world() : whole->among;
    const std::optional<int> own =
        colour == PLAIT_NO_COLOUR ? std::optional<int>() : std::optional<int>(colour);
    auto part = std::make_unique<plait_comm>(plait_comm{of.split(name, own, key)});
    if (!own.has_value()) return;
    rt->communicators.push_back(std::move(part));
    *made = rt->communicators.back().get();
  });
}

int plait_comm_rank(plait_runtime* rt, plait_comm* comm, int* rank) {
  return call(rt, "plait_comm_rank", from::anywhere, [&] {
    expect_given(rank, "plait_comm_rank", "place for the rank");
    *rank = comm == nullptr ? rt->env.rank() : comm->among.rank();
  });
}

int plait_comm_size(plait_runtime* rt, plait_comm* comm, int* size) {
  return call(rt, "plait_comm_size", from::anywhere, [&] {
    expect_given(size, "plait_comm_size", "place for the number");
    *size = comm == nullptr ? rt->env.size() : comm->among.size();
  });
}

int plait_make_resource(plait_runtime* rt, const char* name, int threads, plait_resource** made) {
  return call(rt, "plait_make_resource", from::program, [&] {
    expect_given(made, "plait_make_resource", "place for the resource");
    *made = nullptr;
    expect_given(name, "plait_make_resource", "name");
    rt->resources.push_back(
        std::make_unique<plait_resource>(plait_resource{rt->joined->resource(name, threads)}));
    *made = rt->resources.back().get();
  });
}

int plait_mpi_begin(plait_runtime* rt) {
  return call(rt, "plait_mpi_begin", from::anywhere, [rt] {
    rt->env.token().acquire();
    rt->env.token().catch_up();
  });
}

int plait_mpi_end(plait_runtime* rt) {
  if (rt == nullptr || rt != living() || !plait::mpi_token::any_held_here())
    return fail(PLAIT_ERR_STATE, "plait_mpi_end without plait_mpi_begin in this thread");
  rt->env.token().release();
  return PLAIT_SUCCESS;
}
