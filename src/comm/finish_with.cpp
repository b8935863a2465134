// SPDX-License-Identifier: BSD-3-Clause
// Waits for requests of the program's own, for tasks that are finished with them.
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include <plait/comm/engine.hpp>
#include <plait/comm/mpi.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>

#include "comm/engine/watched.hpp"
#include "comm/mpi_call.hpp"

namespace plait {
namespace {

struct watched_request : awaited {
  MPI_Request request = MPI_REQUEST_NULL;
  awaited_requests as_one;
  std::unique_ptr<detail::request_watch> told;
};

/// The program would free what the request still uses.
[[noreturn]] void end_job_over_request() {
  std::fprintf(stderr,
               "plait: %s: a task failed, and the request that another task is to be finished with "
               "cannot be given up\n",
               process_label().c_str());
  detail::abort_job();
}

/// Cancels the request, or waits for it.  Holder of the token.
void give_up_request(MPI_Request& request) {
  constexpr double patience_s = 1;
  (void)MPI_Cancel(&request);  // of a collective it is refused
  const ticks deadline = now_ticks() + seconds_to_ticks(patience_s);
  for (int done = 0; done == 0;) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (done == 0 && now_ticks() > deadline) end_job_over_request();
    if (done == 0) std::this_thread::yield();
  }
}

void request_ended(awaited& self) noexcept {
  const std::unique_ptr<watched_request> one(static_cast<watched_request*>(&self));
  std::exception_ptr why_not;
  if (one->given_up) {
    give_up_request(one->request);
    why_not = std::make_exception_ptr(error("its request was given up when another task failed"));
  } else if (one->as_one.code != MPI_SUCCESS) {
    why_not = std::make_exception_ptr(
        error("the request that it is finished with: " + mpi_error_text(one->as_one.code)));
  }
  one->told->ended(why_not);
}

}  // namespace

void detail::watch_request(const void* owner, MPI_Request request,
                           std::unique_ptr<request_watch> told) {
  PLAIT_EXPECTS(!mpi_token::any_held_here(),
                "finish_with is called when the token has been given back");
  engine* const by = engine::of_owner(owner);
  if (by == nullptr) throw usage_error("finish_with: the hold is of no task of a runtime");
  if (request == MPI_REQUEST_NULL) return told->ended(nullptr);
  auto one = std::make_unique<watched_request>();
  one->request = request;
  one->as_one.requests = {&one->request, 1};
  one->requests = &one->as_one;
  one->completed = &request_ended;
  one->told = std::move(told);
  by->watch(*one.release());
}

}  // namespace plait
