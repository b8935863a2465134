// SPDX-License-Identifier: BSD-3-Clause
// Messages by hand, and the way in which nothing travels.
#include <climits>
#include <vector>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>

#include "carrier.hpp"
#include "measure/base/mpi_check.hpp"

namespace spectral {
namespace {

using plait::measure::check_mpi;

int as_count(std::size_t elements) {
  if (elements > INT_MAX)
    throw plait::usage_error(fmt::format(
        "{} elements are more than one message can hold; use more messages or more ranks",
        elements));
  return static_cast<int>(elements);
}

class isend final : public carrier {
 public:
  explicit isend(const journey& on) : on_(on), communicator_(plait::native(on.env)) {}

  void expect(int from, const range& rows) override {
    const std::span<complex> to = on_.rows.incoming(from, rows);
    check_mpi(MPI_Irecv(to.data(), as_count(to.size()), MPI_C_DOUBLE_COMPLEX, from, 0,
                        communicator_, &requests_.emplace_back()),
              "MPI_Irecv");
  }
  void start(int peer, const range& rows) override {
    const std::span<complex> from = on_.rows.outgoing(rows);
    check_mpi(MPI_Isend(from.data(), as_count(from.size()), MPI_C_DOUBLE_COMPLEX, peer, 0,
                        communicator_, &requests_.emplace_back()),
              "MPI_Isend");
  }
  void wait() override {
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
    requests_.clear();
  }
  void barrier() override { check_mpi(MPI_Barrier(communicator_), "MPI_Barrier"); }
  complex sum_on_first(const complex& mine) override {
    complex total;
    check_mpi(MPI_Reduce(&mine, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, communicator_),
              "MPI_Reduce");
    return total;
  }

 private:
  journey on_;
  MPI_Comm communicator_;
  std::vector<MPI_Request> requests_;
};

class none final : public carrier {
 public:
  explicit none(const journey& on) : communicator_(plait::native(on.env)) {}
  void expect(int, const range&) override {}
  void start(int, const range&) override {}
  void wait() override {}
  void barrier() override { check_mpi(MPI_Barrier(communicator_), "MPI_Barrier"); }
  complex sum_on_first(const complex& mine) override { return mine; }

 private:
  MPI_Comm communicator_;
};

}  // namespace

std::unique_ptr<carrier> make_isend(const journey& on) {
  return std::make_unique<isend>(on);
}

std::unique_ptr<carrier> make_none(const journey& on) {
  return std::make_unique<none>(on);
}

}  // namespace spectral
