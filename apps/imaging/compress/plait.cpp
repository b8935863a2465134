// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Nobody knows how long a piece becomes before it is compressed, so tasks
// call blocking MPI: the call suspends the task, and the worker compresses another piece meanwhile.
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/base/mpi_check.hpp"
#include "measure/compare/task_variant.hpp"
#include "variant.hpp"

namespace compress {
namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::measure::check_mpi;

/// Pieces of a worker, or of another rank, that are in memory at once.
constexpr int pieces_in_memory = 3;

void compress_piece(buffer& to, const archive* a, std::int64_t piece) {
  a->compress(piece, to, [] {});
}

void send_piece(const buffer& from, MPI_Comm among, int tag) {
  check_mpi(MPI_Send(from.data(), static_cast<int>(from.size()), MPI_BYTE, 0, tag, among),
            "MPI_Send");
}

/// The longest that may come is received, and says how long it is.
void receive_piece(buffer& to, const archive* a, std::int64_t piece, MPI_Comm among) {
  to.resize(a->most_bytes());
  MPI_Status status;
  check_mpi(MPI_Recv(to.data(), static_cast<int>(to.size()), MPI_BYTE, a->owner(piece),
                     a->tag(piece), among, &status),
            "MPI_Recv");
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  to.resize(static_cast<std::size_t>(size));
}

class tasks final : public plait::measure::task_variant<archive> {
 public:
  using task_variant::task_variant;

 private:
  plait::measure::task_steps steps_of(archive& a) override {
    // All pieces are submitted together, whatever a step is.
    return {.steps = std::numeric_limits<int>::max(),
            .replayed = false,
            .submit = [this, &a](plait::runtime& rt, int) {
              const int owners = a.rank() == 0 ? a.ranks() - 1 + rt.workers() : rt.workers();
              places_.resize(static_cast<std::size_t>(pieces_in_memory * owners));
              if (a.rank() == 0) {
                collect(rt, a);
              } else {
                send_all(rt, a);
              }
            }};
  }

  void add_to(run_report&) override { places_.clear(); }

  void send_all(plait::runtime& rt, const archive& a) {
    std::size_t place = 0;
    for (std::int64_t i = a.rank(); i < a.pieces(); i += a.ranks()) {
      buffer& content = places_[place];
      place = (place + 1) % places_.size();
      rt.task("compress", compress_piece, out(content), &a, i);
      rt.task("send", send_piece, in(content), plait::native(env_), a.tag(i)).priority(plait::high);
    }
  }

  void collect(plait::runtime& rt, archive& a) {
    for (std::int64_t i = 0; i < a.pieces(); ++i) {
      buffer& content = places_[static_cast<std::size_t>(i) % places_.size()];
      if (a.owner(i) == 0) {
        rt.task("compress", compress_piece, out(content), &std::as_const(a), i);
      } else {
        rt.task("receive", receive_piece, out(content), &std::as_const(a), i, plait::native(env_))
            .priority(plait::high);
      }
      rt.task(
            "write",
            [](const buffer& from, archive& to, std::int64_t piece) { to.write(piece, from); },
            in(content), inout(a), i)
          .priority(plait::high);
    }
  }

  std::vector<buffer> places_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const runtime_options& how) {
  return std::make_unique<tasks>(env, how);
}

}  // namespace compress
