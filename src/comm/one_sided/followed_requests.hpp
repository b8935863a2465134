// SPDX-License-Identifier: BSD-3-Clause
/// MPI's requests of a window, and what each is for.
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

  /// Returns what those were for that have completed.  They are gone from the lists before they
  /// have consequences, which may add to these.
  [[nodiscard]] std::vector<Purpose> test() {
    std::vector<Purpose> over;
    if (requests_.empty()) return over;
    indices_.resize(requests_.size());
    int count = 0;
    mpi_call(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                          indices_.data(), MPI_STATUSES_IGNORE),
             "MPI_Testsome");
    if (count == MPI_UNDEFINED || count == 0) return over;
    for (int i = 0; i < count; ++i) {
      over.push_back(
          std::move(purposes_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])]));
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      if (kept != i) purposes_[kept] = std::move(purposes_[i]);
      requests_[kept++] = requests_[i];
    }
    requests_.resize(kept);
    purposes_.erase(purposes_.begin() + static_cast<std::ptrdiff_t>(kept), purposes_.end());
    return over;
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
};

}  // namespace plait
