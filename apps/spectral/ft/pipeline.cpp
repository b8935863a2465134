// SPDX-License-Identifier: BSD-3-Clause
// Variants `olap` and `library`: plain MPI with the overlap written by hand.  A tile leaves when
// its lines are transformed, and the library is looked after between pieces of work.  With two
// iterations in flight the next one's tiles leave before this one's are used.  `olap` sends
// messages, `library` starts the MPI library's own MPI_Ialltoallv for each tile.
#include <memory>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/mpi_check.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::activity;
using spectral::sign;

// Well under a millisecond: often enough to keep a link busy, seldom enough to cost nothing.
constexpr index cells_between_looks = index{1} << 15;

enum class by : std::uint8_t { messages, library };

class pipeline final : public variant {
 public:
  pipeline(plait::environment& env, by how, const options& chosen)
      : communicator_(plait::native(env)), how_(how), chosen_(chosen) {}

  void prepare(problem& p) override {
    to_lines_ = made(p, 0, spectral::transpose::to_lines);
    to_planes_.clear();
    for (std::size_t i = 0; i < p.in_flight.size(); ++i)
      to_planes_.push_back(made(p, i, spectral::transpose::to_planes));
    const spectral::slabs& s = p.shape();
    const auto pieces = [](index cells) { return 1 + cells / cells_between_looks; };
    const index x = s.x_of(0).size();
    z_pieces_ = cut(s.own_z(), pieces(s.own_z().size() * s.ny() * x));
    y_pieces_ = cut(s.own_y(), pieces(s.own_y().size() * s.nz() * x));
    row_pieces_ = cut(s.own_z(), pieces(s.planes_size()));
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    forward(p);
    const int ahead = chosen_.iterations_in_flight - 1;
    for (int step = 0; step < ahead && step < steps; ++step) begin(p, step);
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      if (step + ahead < steps) begin(p, step + ahead);
      end(p, step);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override {
    to_lines_.reset();
    to_planes_.clear();
    return watch_.report();
  }

 private:
  std::unique_ptr<spectral::transport> made(const problem& p, std::size_t memory,
                                            spectral::transpose way) const {
    const spectral::chunk_map chunks(p.shape(), p.in_flight[memory].buffers(), way);
    return how_ == by::messages ? spectral::by_messages(communicator_, chunks)
                                : spectral::by_library(communicator_, chunks);
  }

  /// Lets messages of any iteration progress.
  void look() {
    to_lines_->test();
    for (const auto& one : to_planes_) one->test();
    watch_.lap(activity::posting, "look");
  }

  template <class Body>
  void compute(const std::vector<range>& pieces, const char* name, Body&& body) {
    for (const range& piece : pieces) {
      body(piece);
      watch_.lap(activity::compute, name);
      look();
    }
  }

  void wait_received(spectral::transport& messages, int tile) {
    messages.wait_received(tile);
    watch_.lap(activity::exposed, "wait");
  }

  void wait_sent(spectral::transport& messages) {
    messages.wait_sent();
    watch_.lap(activity::exposed, "wait");
    if (watch_.recording()) messages.add_messages_to(watch_);
  }

  void forward(problem& p) {
    const spectral::slabs& s = p.shape();
    const iteration_memory& memory = p.in_flight.front();
    to_lines_->expect();
    watch_.lap(activity::posting, "post receives");
    compute(row_pieces_, "x lines",
            [&](const range& z) { p.kernel().rows(memory.planes.data(), z, sign::forward); });
    for (int tile = 0; tile < s.tiles(); ++tile) {
      compute(z_pieces_, "y lines", [&](const range& z) {
        p.kernel().spread_y(memory.planes.data(), memory.buffers(), tile, z);
      });
      to_lines_->start(tile);
      watch_.lap(activity::posting, "post sends");
    }
    for (int tile = 0; tile < s.tiles(); ++tile) {
      wait_received(*to_lines_, tile);
      compute(y_pieces_, "z lines", [&](const range& y) {
        p.kernel().gather_z(memory.buffers(), p.lines.data(), tile, y);
      });
    }
    wait_sent(*to_lines_);
  }

  /// Evolves and sends.
  void begin(problem& p, int step) {
    const std::size_t i = static_cast<std::size_t>(step) % p.in_flight.size();
    to_planes_[i]->expect();
    watch_.lap(activity::posting, "post receives");
    for (int tile = 0; tile < p.shape().tiles(); ++tile) {
      compute(y_pieces_, "evolve, z lines", [&](const range& y) {
        p.kernel().spread_z(p.lines.data(), p.in_flight[i].buffers(), tile, y, &p.factors());
      });
      to_planes_[i]->start(tile);
      watch_.lap(activity::posting, "post sends");
    }
  }

  /// Uses what comes.
  void end(problem& p, int step) {
    const std::size_t i = static_cast<std::size_t>(step) % p.in_flight.size();
    complex* planes = p.in_flight[i].planes.data();
    for (int tile = 0; tile < p.shape().tiles(); ++tile) {
      wait_received(*to_planes_[i], tile);
      compute(z_pieces_, "y lines", [&](const range& z) {
        p.kernel().gather_y(p.in_flight[i].buffers(), planes, tile, z);
      });
    }
    compute(row_pieces_, "x lines",
            [&](const range& z) { p.kernel().rows(planes, z, sign::backward); });
    wait_sent(*to_planes_[i]);
    const complex mine = p.sum_of(planes, p.shape().own_z());
    complex total;
    plait::measure::check_mpi(
        MPI_Reduce(&mine, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, communicator_),
        "MPI_Reduce");
    if (p.shape().rank() == 0) p.sums.push_back(p.checksum(total));
    watch_.lap(activity::exposed, "checksum");
    p.result = planes;
  }

  MPI_Comm communicator_;
  by how_;
  options chosen_;
  std::unique_ptr<spectral::transport> to_lines_;
  std::vector<std::unique_ptr<spectral::transport>> to_planes_;
  std::vector<range> z_pieces_, y_pieces_, row_pieces_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env, const options& chosen) {
  return std::make_unique<pipeline>(env, by::messages, chosen);
}

std::unique_ptr<variant> make_library(plait::environment& env, const options& chosen) {
  return std::make_unique<pipeline>(env, by::library, chosen);
}

}  // namespace ft
