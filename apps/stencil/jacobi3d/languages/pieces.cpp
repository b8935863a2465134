// SPDX-License-Identifier: BSD-3-Clause
#include "pieces.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "common/message_parts.hpp"
#include "measure/compare/task_run.hpp"

extern "C" void jacobi3d_relax(const double* u, const double* b, double* v, std::int64_t stride_y,
                               std::int64_t stride_z, std::int64_t nx, std::int64_t ny,
                               std::int64_t nz, std::int64_t streamed);

namespace jacobi3d {
namespace {

using plait::decomposition;

struct noted_piece {
  plait::ticks begin = 0;
  plait::ticks end = 0;
  int lane = 0;
};
std::array<noted_piece, std::size_t{1} << 16> noted;
std::atomic<std::size_t> noted_count{0};
std::atomic<int> lanes{0};
std::atomic<unsigned> run_number{0};

/// Returns the calling thread's place among those of this run.
int own_lane() noexcept {
  thread_local int lane = 0;
  thread_local unsigned of_run = 0;
  if (of_run != run_number.load(std::memory_order_relaxed)) {
    of_run = run_number.load(std::memory_order_relaxed);
    lane = lanes.fetch_add(1, std::memory_order_relaxed);
  }
  return lane;
}

jacobi3d_cells cells_of(const box& some, const box& memory) {
  jacobi3d_cells result{};
  for (const axis a : plait::axes<3>) {
    const auto k = static_cast<std::size_t>(index_of(a));
    result.low[k] = some.low[a] - memory.low[a];
    result.high[k] = some.high[a] - memory.low[a];
  }
  return result;
}

/// Returns whether cells of a face lie in a row, on both ranks alike, but for ghosts behind the
/// physical boundary: along every axis faster than the slowest one they extend along, both blocks
/// are whole and have no neighbour.  So `ghost_options::gaps_travel`.
bool lie_in_a_row(const decomposition<3>& blocks, const plait::block_copy<3>& copy) {
  bool inner = false;
  for (std::size_t i = 3; i-- > 0; inner = inner || copy.from.extent(plait::axes<3>[i]) > 1) {
    if (!inner) continue;
    const axis a = plait::axes<3>[i];
    for (const int id : {copy.source, copy.destination}) {
      if (copy.from.extent(a) != blocks.block(id).extent(a) ||
          blocks.has_neighbour(id, a, plait::side::low) ||
          blocks.has_neighbour(id, a, plait::side::high))
        return false;
    }
  }
  return true;
}

}  // namespace

step_pieces::step_pieces(const plait::environment& env, problem& p,
                         const plait::runtime_options& how)
    : shape_(p.block(p.u)) {
  const std::int64_t message = plait::stencil::cells_per_message(env, cells_per_message);
  const box& whole = shape_.cells();
  const plait::interior_and_rim<3> parts = p.parts();
  for (const box& face : parts.rim)
    for (const box& part : plait::cut_in_parts(face, 4 * message))
      rim_.push_back(cells_of(part, whole));
  for (const box& tile : plait::cut_in_tiles(
           parts.interior, {.rows = plait::stencil::tile_rows(shape_), .cells = cells_per_piece}))
    interior_.push_back(cells_of(tile, whole));
  add_messages(env, p, message);

  block_ = {.u = shape_.at(whole.low),
            .v = p.block(p.v).at(whole.low),
            .b = p.block(p.b).at(whole.low),
            .extent = {},
            .stride = {1, shape_.stride(axis::y), shape_.stride(axis::z)},
            .streamed = stores_for(p.cells()) == stores::streamed ? 1 : 0,
            .relax = &jacobi3d_relax,
            .sends = sends_.data(),
            .send_count = std::ssize(sends_),
            .receives = receives_.data(),
            .receive_count = std::ssize(receives_),
            .interior = interior_.data(),
            .interior_count = std::ssize(interior_),
            .rim = rim_.data(),
            .rim_count = std::ssize(rim_),
            .workers = how.tasks.workers,
            .policy = static_cast<std::int64_t>(how.engine.policy),
            .in_flight = 0,
            .recorded = 0};
  for (const axis a : plait::axes<3>)
    block_.extent[static_cast<std::size_t>(index_of(a))] = whole.extent(a);
  // A message whose cells lie apart has a task that packs it.
  const std::size_t tasks =
      2 * (interior_.size() + rim_.size() + 2 * (sends_.size() + receives_.size()));
  std::size_t in_flight = how.tasks.in_flight;
  if (in_flight == 0)
    in_flight =
        std::clamp(tasks, plait::scheduler_options::usual_in_flight, plait::measure::most_recorded);
  block_.in_flight = static_cast<std::int64_t>(in_flight);
  block_.recorded = tasks <= in_flight ? 1 : 0;
}

void step_pieces::add_messages(const plait::environment& env, const problem& p,
                               std::int64_t message) {
  const decomposition<3>& blocks = p.u.blocks();
  const box& whole = shape_.cells();
  const auto add = [&](std::vector<jacobi3d_message>& to, const box& some, int peer, bool in_row) {
    jacobi3d_message one{.cells = cells_of(some, whole), .first = 0, .count = 0, .peer = peer};
    if (in_row) {
      const double* const first = shape_.at(some.low);
      one.first = first - shape_.at(whole.low);
      one.count = shape_.at(some.high - plait::extents<3>(1)) + 1 - first;
    }
    to.push_back(one);
  };
  const auto copies = plait::ghost_copies(blocks, plait::ghost_reach::faces, env.rank());
  for (const plait::block_copy<3>& copy : plait::in_parts(copies, message)) {
    const int from = blocks.rank_of(copy.source);
    const int to = blocks.rank_of(copy.destination);
    const bool in_row = lie_in_a_row(blocks, copy);
    if (from == env.rank()) {
      add(sends_, copy.from, to, in_row);
    } else {
      add(receives_, copy.to(), from, in_row);
    }
  }
}

void forget_kernel_events() {
  noted_count = 0;
  lanes = 0;
  ++run_number;
}

std::vector<plait::trace_event> kernel_events(int rank) {
  std::vector<plait::trace_event> events;
  const std::size_t count = std::min(noted_count.load(), noted.size());
  for (std::size_t i = 0; i < count; ++i) {
    plait::trace_event one;
    one.rank = rank;
    one.lane = "worker " + std::to_string(noted[i].lane);
    one.name = "relax";
    one.begin_s = plait::ticks_to_seconds(noted[i].begin);
    one.end_s = plait::ticks_to_seconds(noted[i].end);
    events.push_back(std::move(one));
  }
  return events;
}

}  // namespace jacobi3d

extern "C" void jacobi3d_relax(const double* u, const double* b, double* v, std::int64_t stride_y,
                               std::int64_t stride_z, std::int64_t nx, std::int64_t ny,
                               std::int64_t nz, std::int64_t streamed) {
  using namespace jacobi3d;
  const plait::ticks begin = plait::now_ticks();
  const std::array<std::ptrdiff_t, 3> strides{1, stride_y, stride_z};
  const box own{plait::point<3>(0, 0, 0), plait::point<3>(nx, ny, nz)};
  const box around{plait::point<3>(-1, -1, -1), plait::point<3>(nx + 1, ny + 1, nz + 1)};
  relax(const_cells(u - 1 - stride_y - stride_z, around, strides), const_cells(b, own, strides),
        cells(v, own, strides), streamed != 0 ? stores::streamed : stores::cached);
  const std::size_t place = noted_count.fetch_add(1, std::memory_order_relaxed);
  if (place < noted.size()) noted[place] = {begin, plait::now_ticks(), own_lane()};
}
