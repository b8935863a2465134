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
      requests_.push_back(all.requests[i]);
      places_.push_back({&what, i});
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
  if (indices_.size() < requests_.size()) {
    indices_.resize(requests_.size());
    statuses_.resize(requests_.size());
  }
  int count = 0;
  int code = MPI_SUCCESS;
  for (int tries = 0; tries < 2 && count == 0; ++tries) {
    code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                        indices_.data(), statuses_.data());
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {  // the library refuses the call itself
      for (std::size_t i = 0; i < places_.size(); ++i) note(places_[i], requests_[i], {}, code);
      requests_.clear();
      places_.clear();
      return;
    }
  }
  if (count <= 0) return;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
    note(places_[at], requests_[at], status,
         code == MPI_ERR_IN_STATUS ? status.MPI_ERROR : MPI_SUCCESS);
    places_[at].of = nullptr;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].of == nullptr) continue;
    places_[kept] = places_[i];
    requests_[kept] = requests_[i];
    ++kept;
  }
  places_.resize(kept);
  requests_.resize(kept);
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
  for (const place& one : places_) {
    if (!std::exchange(one.of->given_up, true)) ended_.push_back(one.of);
  }
  places_.clear();
  requests_.clear();
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
