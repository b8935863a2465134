// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <string>
#include <vector>

#include "faces.hpp"
#include "kernel.hpp"
#include "tasks/relax_task.hpp"
#include "tasks/sweep.hpp"

namespace jacobi3d {
namespace {

using plait::in;
using plait::out;

// A tile with fewer rows reads more of its neighbours than of its own.
constexpr std::int64_t least_rows = 4;

// While a wave of `depth` steps passes, so many planes of a tile are in use: of u and v those from
// the wave's front to its tail and one on either side, of b those of the wave.
std::int64_t planes_in_use(int depth) {
  return 2 * (depth + 2) + depth + 1;
}

std::int64_t rows_of_tile(const extents& n, int depth, std::int64_t cache_bytes) {
  const std::int64_t cells =
      cache_bytes / static_cast<std::int64_t>(sizeof(double)) / planes_in_use(depth);
  return std::min({cells / n[axis::x], cells_per_message / n[axis::x], n[axis::y]});
}

/// Neighbouring planes that are computed together, and the faces among them.
struct slab {
  std::int64_t z0 = 0;
  std::int64_t z1 = 0;
  std::vector<const face*> faces;
};

/// Rows of a face as wide as a tile: what a tile sends and receives before one of its steps.
struct message {
  const face* of = nullptr;
  box edge;
  box ghost;
  int tile = 0;
  plait::task_name sending;
  plait::task_name receiving;
};

/// A step of a tile's slab, after the messages it needs or that need the step before.
struct item {
  int step = 0;
  bool rim = false;
  std::vector<message> messages;
  piece computed;
};

class time_tiles final : public sweep {
 public:
  time_tiles(const problem& p, int depth, std::int64_t rows, std::vector<face> faces,
             step_times& times)
      : depth_(depth), rows_(rows), faces_(std::move(faces)), times_(times) {
    const std::vector<slab> slabs = cut_along_z(p.size());
    const std::int64_t tiles = (p.size()[axis::y] + depth - 1 + rows_ - 1) / rows_;
    const auto waves = static_cast<int>(slabs.size()) + depth - 1;
    for (int tile = 0; tile < tiles; ++tile)
      for (int wave = 0; wave < waves; ++wave)
        for (int step = 0; step < depth; ++step) {
          const int at = wave - step;
          if (at >= 0 && at < std::ssize(slabs))
            add(p.size(), tile, slabs[static_cast<std::size_t>(at)], step);
        }
    if (!items_.empty()) items_.front().computed.begins = depth;
  }

  [[nodiscard]] int steps() const noexcept override { return depth_; }

  [[nodiscard]] std::size_t tasks() const noexcept override {
    std::size_t count = items_.size();
    for (const item& one : items_) count += 2 * one.messages.size();
    return count;
  }

  void submit(plait::runtime& rt, problem& p, int count) override {
    for (item& one : items_) {
      if (one.step >= count) continue;
      field& u = one.step % 2 == 0 ? p.u : p.v;
      field& v = one.step % 2 == 0 ? p.v : p.u;
      for (const message& m : one.messages) exchange(rt, u, m);
      const plait::task_name name =
          one.rim ? plait::task_name("rim") : plait::task_name("interior");
      submit_relax(rt, name, one.rim ? plait::high : plait::normal, u, p.b, v, one.computed,
                   stores::cached, times_);
    }
  }

 private:
  [[nodiscard]] std::vector<slab> cut_along_z(const extents& n) const {
    // Thick enough for a task to be worth its while where rows are short and few.
    const std::int64_t thickness =
        std::max<std::int64_t>(1, cells_per_message / (n[axis::x] * rows_));
    std::vector<slab> slabs;
    for (std::int64_t z = 0; z < n[axis::z]; z = slabs.back().z1) {
      slab& one = slabs.emplace_back(slab{z, std::min(z + thickness, n[axis::z]), {}});
      for (const face& f : faces_) {
        if (f.edge.low[axis::z] == z) {
          one.z1 = z + 1;
          one.faces.push_back(&f);
        } else if (f.edge.low[axis::z] > z) {
          one.z1 = std::min(one.z1, f.edge.low[axis::z]);
        }
      }
    }
    return slabs;
  }

  void add(const extents& n, int tile, const slab& planes, int step) {
    box cells = whole(n);
    cells.low[axis::y] = std::clamp<std::int64_t>(tile * rows_ - step, 0, n[axis::y]);
    cells.high[axis::y] = std::clamp<std::int64_t>((tile + 1) * rows_ - step, 0, n[axis::y]);
    cells.low[axis::z] = planes.z0;
    cells.high[axis::z] = planes.z1;
    if (cells.empty()) return;
    item& one = items_.emplace_back();
    one.step = step;
    one.rim = !planes.faces.empty();
    one.computed = {.cells = cells, .step = step, .every = depth_, .begins = 0};
    for (const face* f : planes.faces) {
      const auto rows_of = [&](box plane) {
        plane.low[axis::y] = cells.low[axis::y];
        plane.high[axis::y] = cells.high[axis::y];
        return plane;
      };
      one.messages.push_back({f, rows_of(f->edge), rows_of(f->ghost), tile,
                              plait::task_name::intern("send to " + std::to_string(f->peer)),
                              plait::task_name::intern("receive from " + std::to_string(f->peer))});
    }
  }

  static void exchange(plait::runtime& rt, field& u, const message& m) {
    rt.recv(m.receiving, out(cells_of_plane(u, m.ghost, m.ghost.low[axis::z])), m.of->peer,
            6 * m.tile + m.of->receive_tag());
    rt.send(m.sending, in(cells_of_plane(u, m.edge, m.edge.low[axis::z])), m.of->peer,
            6 * m.tile + m.of->send_tag());
  }

  const int depth_;
  const std::int64_t rows_;
  const std::vector<face> faces_;  // slabs and messages refer to them
  std::vector<item> items_;
  step_times& times_;
};

}  // namespace

std::unique_ptr<sweep> make_time_tiles(const problem& p, int depth, std::int64_t cache_bytes,
                                       step_times& times) {
  std::vector<face> faces = faces_of(p.blocks(), p.rank());
  const bool in_planes = std::ranges::all_of(faces, [](const face& f) { return f.contiguous(); });
  const std::int64_t rows = rows_of_tile(p.size(), depth, cache_bytes);
  if (!in_planes || rows < std::min(least_rows, p.size()[axis::y])) return nullptr;
  return std::make_unique<time_tiles>(p, depth, rows, std::move(faces), times);
}

}  // namespace jacobi3d
