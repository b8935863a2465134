// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: compress all pieces, then communicate.  [Hoefler and Lumsdaine, slide 27: for (i
// < N/P) compute(i); comm(N/P)]
#include <memory>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace compress {
namespace {

using plait::activity;
using plait::measure::check_mpi;

class base final : public variant {
 public:
  explicit base(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(archive&) override {}

  void run(archive& a, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(recorded.first, recorded);
    std::vector<buffer> own;
    for (std::int64_t i = a.rank(); i < a.pieces(); i += a.ranks()) {
      a.compress(i, own.emplace_back(), [] {});
      own.back().shrink_to_fit();
      watch_.lap(activity::compute, "compress");
    }
    if (a.rank() == 0) {
      gather(a, own);
    } else {
      send(a, own);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(archive&) override { return watch_.report(); }

 private:
  void send(const archive& a, const std::vector<buffer>& own) {
    for (std::size_t i = 0; i < own.size(); ++i)
      check_mpi(MPI_Send(own[i].data(), static_cast<int>(own[i].size()), MPI_BYTE, 0,
                         a.tag(static_cast<std::int64_t>(i) * a.ranks()), communicator_),
                "MPI_Send");
    watch_.lap(activity::exposed, "send");
  }

  void gather(archive& a, const std::vector<buffer>& own) {
    buffer other;
    for (std::int64_t i = 0; i < a.pieces(); ++i) {
      if (a.owner(i) == 0) {
        a.write(i, own[static_cast<std::size_t>(i / a.ranks())]);
      } else {
        other.resize(a.most_bytes());
        MPI_Status status;
        check_mpi(MPI_Recv(other.data(), static_cast<int>(other.size()), MPI_BYTE, a.owner(i),
                           a.tag(i), communicator_, &status),
                  "MPI_Recv");
        watch_.lap(activity::exposed, "receive");
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        other.resize(static_cast<std::size_t>(size));
        a.write(i, other);
      }
      watch_.lap(activity::compute, "write");
    }
  }

  MPI_Comm communicator_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env);
}

}  // namespace compress
