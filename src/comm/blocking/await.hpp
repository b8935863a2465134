// SPDX-License-Identifier: BSD-3-Clause
/// Replacement for blocking calls: starts the operation, and suspends the task until it is done.
/// [MPI/SMPSs, section 2.2]
#pragma once

#include <exception>
#include <mutex>
#include <span>
#include <utility>

#include <mpi.h>
#include <plait/comm/blocking_calls.hpp>
#include <plait/comm/token.hpp>
#include <plait/core/error.hpp>

#include "comm/blocking/told_messages.hpp"
#include "comm/engine/watched.hpp"

namespace plait {

/// The runtime whose task or program calls, or null: then MPI is called as it is.  (plait itself
/// calls MPI with the token in hand.)
[[nodiscard]] inline blocking_calls* interceptor() {
  return mpi_token::any_held_here() ? nullptr : blocking_calls::here();
}

/// A non-blocking call, under the token.
template <class Call>
int under_token(Call call) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return call();
  std::lock_guard guard(*here);
  return call();
}

/// Waits until `ask()`, which is called under the token, is true.  `requests`: they are all that it
/// asks for, and a task waits for them without asking.  False: another task has failed, and what is
/// waited for may never come.
template <class Ask>
[[nodiscard]] bool wait_until(blocking_calls& here, Ask ask, awaited_requests* requests) {
  if (here.who_calls() == blocking_calls::caller::task) {
    struct asked : awaited {
      Ask* question;
    } what;
    what.finished = [](awaited& self) { return (*static_cast<asked&>(self).question)(); };
    what.question = &ask;
    what.requests = requests;
    return here.suspend_until(what);
  }
  here.work_until([&] {
    std::lock_guard guard(here);
    return ask();
  });
  return true;
}

/// Waits for `test(&flag)`, an MPI_Test of some kind, to raise the flag or fail.  `give_up` is
/// called, without the token, when another task has failed; it says whether nothing is left to wait
/// for.  `requests`: those that `test` tests all, if it does.
template <class Test, class GiveUp>
int wait_for(blocking_calls& here, Test test, GiveUp give_up,
             awaited_requests* requests = nullptr) {
  int own_code = MPI_SUCCESS;
  int& code = requests != nullptr ? requests->code : own_code;
  int flag = 0;
  const auto ask = [&] {
    code = test(&flag);
    return code != MPI_SUCCESS || flag != 0;
  };
  {
    std::lock_guard guard(here);
    if (ask()) return code;
  }
  if (wait_until(here, ask, requests)) return code;
  const bool completed = give_up();
  // A destructor of a task that is being unwound waits for its requests.
  if (completed && std::uncaught_exceptions() > 0) return MPI_SUCCESS;
  throw error("an MPI call was given up: another task has failed");
}

/// Completes the requests a task waits for, whose buffers it is about to leave behind: MPI uses
/// them until then.  Receives are cancelled, sends have ten seconds to complete; after them the job
/// ends. Other requests of the task are its own to complete, in a destructor for instance.  Returns
/// true.
bool give_up_messages(blocking_calls& here, std::span<MPI_Request> requests);

inline bool give_up_message(blocking_calls& here, MPI_Request& request) {
  return give_up_messages(here, {&request, 1});
}

/// MPI uses the buffers of a collective until all ranks have taken part.
inline bool give_up_collective(blocking_calls&, MPI_Request&) {
  detail::abort_job();
}

/// Waits for one request.
template <class GiveUp>
int wait_for_request(blocking_calls& here, MPI_Request& request, MPI_Status* status,
                     GiveUp give_up) {
  awaited_requests one{{&request, 1}, status == MPI_STATUS_IGNORE ? nullptr : status};
  return wait_for(
      here, [&](int* flag) { return PMPI_Test(&request, flag, status); }, give_up, &one);
}

/// Waits for all of several requests.
inline int wait_for_all(blocking_calls& here, std::span<MPI_Request> requests,
                        MPI_Status* statuses) {
  awaited_requests all{requests, statuses == MPI_STATUSES_IGNORE ? nullptr : statuses};
  const auto test = [&](int* flag) {
    return PMPI_Testall(static_cast<int>(requests.size()), requests.data(), flag, statuses);
  };
  return wait_for(
      here, test, [&] { return give_up_messages(here, requests); }, &all);
}

/// `direct()` is the blocking call, `start(&request)` begins it without blocking.
template <class Direct, class Start>
int blocking(Direct direct, Start start, MPI_Status* status = MPI_STATUS_IGNORE,
             bool (*give_up)(blocking_calls&, MPI_Request&) = give_up_message) {
  blocking_calls* here = interceptor();
  if (here == nullptr) return direct();
  MPI_Request request = MPI_REQUEST_NULL;
  {
    std::lock_guard guard(*here);
    if (const int code = start(&request); code != MPI_SUCCESS) return code;
  }
  return wait_for_request(*here, request, status, [&] { return give_up(*here, request); });
}

/// As `blocking`, and tells of the message, where that is wanted.
template <class Direct, class Start>
int message(Direct direct, Start start, const message_envelope& envelope,
            MPI_Status* status = MPI_STATUS_IGNORE) {
  told_messages told(interceptor());
  if (!told.are_wanted()) return blocking(std::move(direct), std::move(start), status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const auto post = [&](MPI_Request* request) {
    told.post();
    return start(request);
  };
  const int code = blocking(std::move(direct), post, status);
  // A message that was given up while an exception unwinds has no status.
  if (code == MPI_SUCCESS && std::uncaught_exceptions() == 0) told.add(envelope, *status);
  return code;
}

/// As `blocking`, of a collective: `direct(arguments..., comm)` is the blocking call,
/// `start(arguments..., comm, &request)` begins it without blocking.
int await_collective(auto direct, auto start, MPI_Comm comm, auto... arguments) {
  do_not_tell_of_collective(comm);
  return blocking([&] { return direct(arguments..., comm); },
                  [&](MPI_Request* request) { return start(arguments..., comm, request); },
                  MPI_STATUS_IGNORE, give_up_collective);
}

}  // namespace plait
