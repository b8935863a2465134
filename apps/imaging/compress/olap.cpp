// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with the overlap written by hand.  A piece is sent while the next one
// is compressed; rank 0 has a receive posted for the next pieces of all others, and looks after
// them between parts of its own.
#include <algorithm>
#include <deque>
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

/// Rounds of pieces that are on their way, at most.
constexpr std::int64_t rounds_ahead = 3;

/// A piece, and the message that brings or takes it.
struct moving_piece {
  std::int64_t number = 0;
  buffer content;
  MPI_Request request = MPI_REQUEST_NULL;
};

class olap final : public variant {
 public:
  explicit olap(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(archive&) override {}

  void run(archive& a, int, const step_range& recorded) override {
    watch_.start();
    watch_.begin_step(recorded.first, recorded);
    if (a.rank() == 0) {
      collect(a);
    } else {
      send_all(a);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(archive&) override { return watch_.report(); }

 private:
  void compress(const archive& a, std::int64_t piece, buffer& to) {
    a.compress(piece, to, [this] {
      watch_.lap(activity::compute, "compress");
      look();
    });
    watch_.lap(activity::compute, "compress");
  }

  void look() {
    for (moving_piece& one : moving_) {
      int done = 0;
      if (one.request == MPI_REQUEST_NULL) continue;
      // The status of a receive is needed for its size.
      check_mpi(MPI_Request_get_status(one.request, &done, MPI_STATUS_IGNORE),
                "MPI_Request_get_status");
    }
    watch_.lap(activity::posting, "look");
  }

  void send_all(const archive& a) {
    for (std::int64_t i = a.rank(); i < a.pieces(); i += a.ranks()) {
      if (std::ssize(moving_) == rounds_ahead) finish_oldest();
      moving_piece& one = moving_.emplace_back();
      compress(a, i, one.content);
      check_mpi(MPI_Isend(one.content.data(), static_cast<int>(one.content.size()), MPI_BYTE, 0,
                          a.tag(i), communicator_, &one.request),
                "MPI_Isend");
      watch_.lap(activity::posting, "send");
    }
    while (!moving_.empty()) finish_oldest();
  }

  void finish_oldest() {
    check_mpi(MPI_Wait(&moving_.front().request, MPI_STATUS_IGNORE), "MPI_Wait");
    watch_.lap(activity::exposed, "wait");
    moving_.pop_front();
  }

  void collect(archive& a) {
    std::int64_t posted = 0;
    buffer own;
    for (std::int64_t i = 0; i < a.pieces(); ++i) {
      for (; posted < std::min(a.pieces(), i + rounds_ahead * a.ranks()); ++posted)
        if (a.owner(posted) != 0) post(a, posted);
      if (a.owner(i) == 0) {
        compress(a, i, own);
        a.write(i, own);
      } else {
        take_next();
        a.write(i, moving_.front().content);
        moving_.pop_front();
      }
      watch_.lap(activity::compute, "write");
    }
  }

  void post(const archive& a, std::int64_t piece) {
    moving_piece& one = moving_.emplace_back();
    one.content.resize(a.most_bytes());
    check_mpi(MPI_Irecv(one.content.data(), static_cast<int>(one.content.size()), MPI_BYTE,
                        a.owner(piece), a.tag(piece), communicator_, &one.request),
              "MPI_Irecv");
    watch_.lap(activity::posting, "receive");
  }

  /// Waits for the oldest receive: pieces come in the order of the file.
  void take_next() {
    MPI_Status status;
    check_mpi(MPI_Wait(&moving_.front().request, &status), "MPI_Wait");
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    moving_.front().content.resize(static_cast<std::size_t>(size));
    watch_.lap(activity::exposed, "wait");
  }

  MPI_Comm communicator_;
  std::deque<moving_piece> moving_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env) {
  return std::make_unique<olap>(env);
}

}  // namespace compress
