// SPDX-License-Identifier: BSD-3-Clause
// Variants `exchange`, `slabs` and `pencils`: Algorithms 3 to 5 of the architectural probes as they
// are printed, inside NAS FT.  Of the two axes that a rank has whole, the rows along x are the last
// to be transformed before the transpose, and a row goes whole to one rank.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "common/carrier.hpp"
#include "measure/compare/timeline.hpp"
#include "variant.hpp"

namespace ft {
namespace {

using plait::activity;
using spectral::row_blocks;

/// Moments at which rows leave: all after all transforms, a block after its rows, or each after its
/// own.
enum class leaves : std::uint8_t { at_the_end, by_block, by_row };

/// The rows that go one way, and their transform.
struct passage {
  row_blocks blocks;
  index pieces;  ///< of a block
  spectral::line_plan row;
};

class whole_rows final : public variant {
 public:
  whole_rows(plait::environment& env, leaves when, const options& chosen)
      : env_(env), when_(when), chosen_(chosen), rows_(env.rank()) {}

  void prepare(problem& p) override {
    if (!kernel_) make_passages(p.grid());
    const spectral::transpose_buffers& buffers = p.memory(0).column;
    rows_.lie_in(buffers.line_side,
                 {buffers.plane_side, static_cast<std::size_t>(side_size(p.grid()))});
    by_ = spectral::make_carrier(chosen_.way, {env_, rows_, chosen_.runtime.engine.policy});
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    forward(p);
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      iterate(p);
    }
    p.result = p.memory(0).field;
    p.order_of_base = false;
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override {
    by_.reset();
    return watch_.report();
  }

 private:
  void make_passages(const spectral::pencils& g) {
    // With all x in one tile a chunk of a transpose is a block of rows.
    kernel_.emplace(spectral::pencils("--class", g.cells(), g.grid(), g.rank(), g.nx()),
                    chosen_.planning);
    const spectral::line_layout row{1, g.nx()};
    const auto made = [&](const std::array<index, 3>& cells, spectral::sign way) -> passage {
      row_blocks blocks = row_blocks::of_grid("--class", cells, g.ranks());
      const index pieces = when_ == leaves::by_row ? blocks.largest_block() : 1;
      return {std::move(blocks), pieces,
              spectral::line_plan(g.nx(), 1, row, row, true, way, chosen_.planning)};
    };
    to_lines_.emplace(made(g.cells(), spectral::sign::forward));
    to_planes_.emplace(made({g.nx(), g.nz(), g.ny()}, spectral::sign::backward));
  }

  /// Transforms these rows of the block for `peer`, where they lie; its own are where they arrive.
  void transform(const passage& way, int peer, const range& rows) {
    const std::span<complex> all =
        peer == env_.rank() ? rows_.incoming(peer, rows) : rows_.outgoing(rows);
    for (index i = 0; i < rows.size(); ++i) {
      complex* row = all.data() + i * way.blocks.length();
      way.row.execute(row, row);
    }
    watch_.lap(activity::compute, "x lines");
  }

  void start(int peer, const range& rows) {
    if (peer == env_.rank()) return;
    by_->start(peer, rows);
    watch_.lap(activity::posting, "start");
  }

  void barrier() {
    by_->barrier();
    watch_.lap(activity::exposed, "barrier");
  }

  /// Lines 1 to 13.
  void transform_and_send(const passage& way) {
    rows_.take(way.blocks);
    barrier();
    spectral::expect_all(rows_, way.pieces, *by_);
    watch_.lap(activity::posting, "expect");
    const auto in_turn = [&](auto&& body) {
      spectral::for_pieces_in_turn(way.blocks, env_.rank(), way.pieces, body);
    };
    const bool at_the_end = when_ == leaves::at_the_end;
    in_turn([&](int peer, const range& rows) {
      transform(way, peer, rows);
      if (!at_the_end) start(peer, rows);
    });
    if (at_the_end) in_turn([&](int peer, const range& rows) { start(peer, rows); });
    by_->wait();
    watch_.lap(activity::exposed, "wait");
    barrier();
  }

  void forward(problem& p) {
    // What leaves lies in the one side's memory and what arrives in the other's, both ways.
    spectral::transform_memory memory = p.memory(0);
    std::swap(memory.column.line_side, memory.column.plane_side);
    const spectral::slabs& s = kernel_->shape();
    kernel_->spread_y(memory, 0, s.own_z());
    watch_.lap(activity::compute, "y lines");
    transform_and_send(*to_lines_);
    kernel_->gather_z(memory, 0, s.own_y());
    watch_.lap(activity::compute, "z lines");
  }

  void iterate(problem& p) {
    const spectral::transform_memory memory = p.memory(0);
    const spectral::slabs& s = kernel_->shape();
    kernel_->spread_z(memory, 0, s.own_y(), &p.factors());
    watch_.lap(activity::compute, "evolve, z lines");
    transform_and_send(*to_planes_);
    kernel_->gather_y(memory, 0, s.own_z());
    const complex mine = p.sum_of(memory.field, s.own_z());
    watch_.lap(activity::compute, "y lines");
    const complex total = by_->sum_on_first(mine);
    if (env_.rank() == 0) p.sums.push_back(p.checksum(total));
    watch_.lap(activity::exposed, "checksum");
  }

  plait::environment& env_;
  leaves when_;
  options chosen_;
  spectral::row_memory rows_;
  std::optional<spectral::passes> kernel_;
  std::optional<passage> to_lines_, to_planes_;
  std::unique_ptr<spectral::carrier> by_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_exchange(plait::environment& env, const options& chosen) {
  return std::make_unique<whole_rows>(env, leaves::at_the_end, chosen);
}

std::unique_ptr<variant> make_slabs(plait::environment& env, const options& chosen) {
  return std::make_unique<whole_rows>(env, leaves::by_block, chosen);
}

std::unique_ptr<variant> make_pencils(plait::environment& env, const options& chosen) {
  return std::make_unique<whole_rows>(env, leaves::by_row, chosen);
}

}  // namespace ft
