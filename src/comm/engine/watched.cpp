// SPDX-License-Identifier: BSD-3-Clause
#include "comm/engine/watched.hpp"

#include <utility>

namespace plait {
namespace {

/// All but the field that MPI leaves alone where a call is about one request.
void copy_status(const MPI_Status& from, MPI_Status& to) {
  const int kept = to.MPI_ERROR;
  to = from;
  to.MPI_ERROR = kept;
}

}  // namespace

void watched_set::add(awaited& what) {
  ++waits_;
  what.requests == nullptr ? asked_.push_back(&what) : add_requests(what);
}

/// Of several requests some may have completed, and a persistent one may not have been started.
/// MPI_Testsome never tells of that, so it is asked here.
void watched_set::add_requests(awaited& what) {
  awaited_requests& all = *what.requests;
  all.left = all.requests.size();
  for (std::size_t i = 0; i < all.requests.size(); ++i) {
    int completed = 0;
    MPI_Status status{};
    int code = MPI_SUCCESS;
    if (all.requests.size() > 1) code = MPI_Test(&all.requests[i], &completed, &status);
    if (completed != 0 || code != MPI_SUCCESS) {
      note({&what, i}, all.requests[i], status, code);
    } else {
      requests_.add(all.requests[i], {&what, i});
    }
  }
}

std::vector<awaited*> watched_set::take_ended(bool give_up) {
  if (!requests_.empty()) test_requests();
  if (give_up) give_up_requests();
  if (!asked_.empty()) ask(give_up);
  waits_ -= ended_.size();
  return std::exchange(ended_, {});
}

/// Twice, if need be: a test that finds nothing lets MPI progress, and the next one finds what that
/// has completed.
void watched_set::test_requests() {
  int code = requests_.test_some();
  if (code == MPI_SUCCESS && requests_.completed() == 0) code = requests_.test_some();
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {  // the library refuses the call itself
    for (std::size_t i = 0; i < requests_.purposes().size(); ++i)
      note(requests_.purposes()[i], requests_.requests()[i], {}, code);
    return requests_.forget();
  }
  requests_.take_completed([&](const place& of, MPI_Request request, const MPI_Status& status) {
    note(of, request, status, code == MPI_ERR_IN_STATUS ? status.MPI_ERROR : MPI_SUCCESS);
  });
}

/// One of several that fails has its code in its status, and so have the others then.
void watched_set::note(const place& of, MPI_Request request, const MPI_Status& status, int code) {
  awaited_requests& all = *of.of->requests;
  const bool one_of_several = all.requests.size() > 1;
  all.requests[of.index] = request;
  if (all.statuses != nullptr) {
    copy_status(status, all.statuses[of.index]);
    if (one_of_several) all.statuses[of.index].MPI_ERROR = code;
  }
  if (code != MPI_SUCCESS) all.code = one_of_several ? MPI_ERR_IN_STATUS : code;
  if (--all.left == 0) ended_.push_back(of.of);
}

void watched_set::give_up_requests() {
  for (const place& one : requests_.purposes()) {
    if (!std::exchange(one.of->given_up, true)) ended_.push_back(one.of);
  }
  requests_.forget();
}

void watched_set::ask(bool give_up) {
  std::erase_if(asked_, [&](awaited* what) {
    if (!what->finished(*what)) {
      if (!give_up) return false;
      what->given_up = true;
    }
    ended_.push_back(what);
    return true;
  });
}

}  // namespace plait
