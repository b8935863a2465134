// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  Nobody knows how long a piece becomes before it is compressed, so tasks
// call blocking MPI: the call suspends the task, and the worker compresses another piece meanwhile.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/mpi_check.hpp"
#include "measure/steps_of_run.hpp"
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

class tasks final : public variant {
 public:
  tasks(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(archive& a) override {
    rt_.emplace(env_,
                plait::runtime_options{.workers = options_.workers, .policy = options_.policy});
    const int owners = a.rank() == 0 ? a.ranks() - 1 + rt_->workers() : rt_->workers();
    places_.resize(static_cast<std::size_t>(pieces_in_memory * owners));
    rt_->start_trace();
  }

  void run(archive& a, int steps, const step_range& recorded) override {
    rt_->reset_ledger();
    started_ = plait::now_ticks();
    if (a.rank() == 0) {
      collect(a);
    } else {
      send_all(a);
    }
    rt_->wait();
    steps_ = steps;
    kept_steps_ = recorded;
    report_.ledger = rt_->ledger();
  }

  [[nodiscard]] run_report finish(archive&) override {
    plait::measure::keep_steps(report_, rt_->stop_trace(), plait::ticks_to_seconds(started_),
                               steps_, kept_steps_);
    if (rt_->progress_choice().proxy) report_.proxy_cpu_s = rt_->progress_statistics().proxy_cpu_s;
    report_.workers = rt_->workers();
    report_.words = {{"policy_chosen", rt_->progress_choice().name},
                     {"policy_reason", rt_->progress_choice().reason}};
    rt_.reset();
    places_.clear();
    return report_;
  }

 private:
  void send_all(const archive& a) {
    std::size_t place = 0;
    for (std::int64_t i = a.rank(); i < a.pieces(); i += a.ranks()) {
      buffer& content = places_[place];
      place = (place + 1) % places_.size();
      rt_->task("compress", compress_piece, out(content), &a, i);
      rt_->task("send", send_piece, in(content), plait::native(env_), a.tag(i))
          .priority(plait::high);
    }
  }

  void collect(archive& a) {
    for (std::int64_t i = 0; i < a.pieces(); ++i) {
      buffer& content = places_[static_cast<std::size_t>(i) % places_.size()];
      if (a.owner(i) == 0) {
        rt_->task("compress", compress_piece, out(content), &std::as_const(a), i);
      } else {
        rt_->task("receive", receive_piece, out(content), &std::as_const(a), i, plait::native(env_))
            .priority(plait::high);
      }
      rt_->task(
             "write",
             [](const buffer& from, archive& to, std::int64_t piece) { to.write(piece, from); },
             in(content), inout(a), i)
          .priority(plait::high);
    }
  }

  plait::environment& env_;
  const options options_;
  std::optional<plait::runtime> rt_;
  std::vector<buffer> places_;
  plait::ticks started_ = 0;
  int steps_ = 0;
  step_range kept_steps_;
  run_report report_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  return std::make_unique<tasks>(env, chosen);
}

}  // namespace compress
