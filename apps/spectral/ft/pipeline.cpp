// SPDX-License-Identifier: BSD-3-Clause
// Variants `olap` and `library`: plain MPI with the overlap written by hand.  A tile leaves when
// its lines are transformed, and the library is looked after between pieces of work.  With two
// iterations in flight the next one's tiles leave before this one's are used.  `olap` sends
// messages, `library` starts the MPI library's own MPI_Ialltoallv for each tile.
#include <memory>
#include <optional>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::activity;
using spectral::transpose;

// Well under a millisecond: often enough to keep a link busy, seldom enough to cost nothing.
constexpr index cells_between_looks = index{1} << 15;

enum class by : std::uint8_t { messages, library };

/// The transposes of a transform in one direction.
struct transports {
  std::unique_ptr<spectral::transport> column;
  std::unique_ptr<spectral::transport> row;  ///< null in slabs

  template <class Body>
  void for_each(Body&& body) {
    body(*column);
    if (row) body(*row);
  }
};

class pipeline final : public variant {
 public:
  pipeline(plait::environment& env, by how, const options& chosen)
      : communicator_(plait::native(env)), how_(how), chosen_(chosen) {}

  void prepare(problem& p) override {
    if (!ranks_) ranks_.emplace(communicator_, p.grid());
    to_lines_ = made(p, 0, transpose::to_lines);
    to_planes_.clear();
    for (std::size_t i = 0; i < p.in_flight.size(); ++i)
      to_planes_.push_back(made(p, i, transpose::to_planes));
    cut_work(p);
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
    to_lines_ = {};
    to_planes_.clear();
    return watch_.report();
  }

 private:
  /// The planes that travel together in a row's transpose; in slabs, all.
  struct planes_together {
    std::vector<range> of_rows;   ///< pieces of the passes along x
    std::vector<range> of_tiles;  ///< pieces of the passes along y
  };

  [[nodiscard]] transports made(const problem& p, std::size_t memory, transpose way) const {
    const auto by_choice = [&](MPI_Comm among, const spectral::chunk_map& chunks) {
      return how_ == by::messages ? spectral::by_messages(among, chunks)
                                  : spectral::by_library(among, chunks);
    };
    const spectral::transform_memory of = p.memory(memory);
    transports result;
    result.column = by_choice(ranks_->column(), {p.grid(), of.column, way});
    if (!p.grid().are_slabs()) result.row = by_choice(ranks_->row(), {p.grid(), of.row, way});
    return result;
  }

  void cut_work(const problem& p) {
    const spectral::pencils& g = p.grid();
    const spectral::slabs& s = g.column();
    const index x = s.x_of(0).size();
    const auto pieces = [](index cells) { return 1 + cells / cells_between_looks; };
    std::vector<range> together{g.own_z()};
    if (!g.are_slabs()) {
      together.clear();
      for (int tile = 0; tile < g.row_tiles(); ++tile) together.push_back(g.z_of(tile));
    }
    planes_.clear();
    for (const range& z : together)
      planes_.push_back(
          {cut(z, pieces(z.size() * g.plane_size())), cut(z, pieces(z.size() * s.ny() * x))});
    y_pieces_ = cut(s.own_y(), pieces(s.own_y().size() * s.nz() * x));
  }

  /// Lets messages of any iteration progress.
  void look() {
    const auto test = [](spectral::transport& one) { one.test(); };
    to_lines_.for_each(test);
    for (transports& one : to_planes_) one.for_each(test);
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

  void expect(transports& all) {
    all.for_each([](spectral::transport& one) { one.expect(); });
    watch_.lap(activity::posting, "post receives");
  }

  void start(spectral::transport& messages, int tile) {
    messages.start(tile);
    watch_.lap(activity::posting, "post sends");
  }
  void start_row(transports& all, std::size_t tile) {
    if (all.row) start(*all.row, static_cast<int>(tile));
  }

  void wait_received(spectral::transport& messages, int tile) {
    messages.wait_received(tile);
    watch_.lap(activity::exposed, "wait");
  }
  void wait_row(transports& all, std::size_t tile) {
    if (all.row) wait_received(*all.row, static_cast<int>(tile));
  }

  void wait_sent(transports& all) {
    all.for_each([this](spectral::transport& messages) {
      messages.wait_sent();
      watch_.lap(activity::exposed, "wait");
      if (watch_.recording()) messages.add_messages_to(watch_);
    });
  }

  void forward(problem& p) {
    const spectral::passes& kernel = p.kernel();
    const spectral::transform_memory memory = p.memory(0);
    const int tiles = kernel.shape().tiles();
    expect(to_lines_);
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      compute(planes_[i].of_rows, "x lines", [&](const range& z) { kernel.spread_x(memory, z); });
      start_row(to_lines_, i);
    }
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      wait_row(to_lines_, i);
      for (int tile = 0; tile < tiles; ++tile) {
        compute(planes_[i].of_tiles, "y lines",
                [&](const range& z) { kernel.spread_y(memory, tile, z); });
        if (i + 1 == planes_.size()) start(*to_lines_.column, tile);
      }
    }
    for (int tile = 0; tile < tiles; ++tile) {
      wait_received(*to_lines_.column, tile);
      compute(y_pieces_, "z lines", [&](const range& y) { kernel.gather_z(memory, tile, y); });
    }
    wait_sent(to_lines_);
  }

  /// Evolves and sends.
  void begin(problem& p, int step) {
    const std::size_t i = static_cast<std::size_t>(step) % p.in_flight.size();
    const spectral::transform_memory memory = p.memory(i);
    expect(to_planes_[i]);
    for (int tile = 0; tile < p.kernel().shape().tiles(); ++tile) {
      compute(y_pieces_, "evolve, z lines",
              [&](const range& y) { p.kernel().spread_z(memory, tile, y, &p.factors()); });
      start(*to_planes_[i].column, tile);
    }
  }

  /// Uses what comes.
  void end(problem& p, int step) {
    const std::size_t i = static_cast<std::size_t>(step) % p.in_flight.size();
    const spectral::passes& kernel = p.kernel();
    const spectral::transform_memory memory = p.memory(i);
    transports& messages = to_planes_[i];
    const int tiles = kernel.shape().tiles();
    for (int tile = 0; tile < tiles; ++tile) {
      wait_received(*messages.column, tile);
      for (std::size_t j = 0; j < planes_.size(); ++j) {
        compute(planes_[j].of_tiles, "y lines",
                [&](const range& z) { kernel.gather_y(memory, tile, z); });
        if (tile + 1 == tiles) start_row(messages, j);
      }
    }
    for (std::size_t j = 0; j < planes_.size(); ++j) {
      wait_row(messages, j);
      compute(planes_[j].of_rows, "x lines", [&](const range& z) { kernel.gather_x(memory, z); });
    }
    wait_sent(messages);
    const complex mine = p.sum_of(memory.field, p.grid().own_z());
    complex total;
    plait::measure::check_mpi(
        MPI_Reduce(&mine, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, communicator_),
        "MPI_Reduce");
    if (p.grid().rank() == 0) p.sums.push_back(p.checksum(total));
    watch_.lap(activity::exposed, "checksum");
    p.result = memory.field;
  }

  MPI_Comm communicator_;
  by how_;
  options chosen_;
  std::optional<spectral::grid_communicators> ranks_;
  transports to_lines_;
  std::vector<transports> to_planes_;
  std::vector<planes_together> planes_;
  std::vector<range> y_pieces_;
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
