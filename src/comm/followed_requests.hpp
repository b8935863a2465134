// SPDX-License-Identifier: BSD-3-Clause
/// MPI's requests side by side, and what each is for.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <mpi.h>

#include "comm/mpi_call.hpp"

namespace plait {

/// Holder of the token only.
template <class Purpose>
class followed_requests {
 public:
  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }

  void add(MPI_Request request, Purpose why) {
    requests_.push_back(request);
    purposes_.push_back(std::move(why));
  }

  /// Tests all.  Returns what those were for that have completed; they are gone from the lists
  /// before they have consequences, which may add to these.  Errors: MPI errors; then all are
  /// there.
  [[nodiscard]] std::vector<Purpose> test() {
    mpi_call(test_some(), "MPI_Testsome");
    std::vector<Purpose> over;
    take_completed([&over](Purpose& why, auto&&...) { over.push_back(std::move(why)); });
    return over;
  }

  /// Tests all.  Returns what MPI_Testsome does.
  [[nodiscard]] int test_some() {
    completed_ = 0;
    if (requests_.empty()) return MPI_SUCCESS;
    if (indices_.size() < requests_.size()) {
      indices_.resize(requests_.size());
      statuses_.resize(requests_.size());
    }
    const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &completed_,
                                  indices_.data(), statuses_.data());
    if (completed_ == MPI_UNDEFINED) completed_ = 0;
    return code;
  }
  /// Returns how many have completed in the last test.
  [[nodiscard]] int completed() const noexcept { return completed_; }
  /// Takes out those that have completed in the last test, and calls `use(purpose, request,
  /// status)` of each, which adds none.
  void take_completed(const auto& use) {
    for (int i = 0; i < completed_; ++i) {
      const auto at = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
      use(purposes_[at], requests_[at], statuses_[static_cast<std::size_t>(i)]);
      requests_[at] = MPI_REQUEST_NULL;  // a persistent one is not
    }
    if (completed_ == 0) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      if (kept != i) purposes_[kept] = std::move(purposes_[i]);
      requests_[kept++] = requests_[i];
    }
    requests_.resize(kept);
    purposes_.erase(purposes_.begin() + static_cast<std::ptrdiff_t>(kept), purposes_.end());
  }

  [[nodiscard]] std::vector<Purpose>& purposes() noexcept { return purposes_; }
  [[nodiscard]] const std::vector<Purpose>& purposes() const noexcept { return purposes_; }
  /// In the order of `purposes`.
  [[nodiscard]] std::vector<MPI_Request>& requests() noexcept { return requests_; }
  void forget() noexcept {
    requests_.clear();
    purposes_.clear();
  }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<Purpose> purposes_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  int completed_ = 0;
};

}  // namespace plait
