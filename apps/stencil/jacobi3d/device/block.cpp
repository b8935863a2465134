// SPDX-License-Identifier: BSD-3-Clause
#include "device/block.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace jacobi3d {
namespace {

using plait::in;
using plait::out;

// Pieces of the interior: a kernel of the rim that becomes ready meanwhile waits for one of them.
constexpr std::int64_t far_pieces = 6;

/// All elements of an array of the host.
std::span<double> elements(const problem& p, array& of, const layout& lies) {
  const cells all = p.block(of);
  return {all.at(all.cells().low), lies.size()};
}

constexpr auto up = plait::device_queue::to_device;
constexpr auto down = plait::device_queue::to_host;

}  // namespace

void relax_there::operator()(plait::queue to_queue, const_span_there, const_span_there own,
                             const_span_there, const_span_there b_part, span_there to_part,
                             const box& some) const {
  if (built) {
    const auto [nx, ny, nz] = some.extent().along;
    const auto items = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const std::int64_t row = lies.row();
    // `own` begins a row before the cells.
    plait::opencl::launch(to_queue, *built, {items(nx), items(ny), items(nz)},
                          own.part(items(row), own.size() - items(row)), b_part, to_part, row,
                          lies.plane(), nx, ny, nz);
    return;
  }
  const const_cells u = lies.cells_around(own);
  const const_cells b = lies.cells_around(b_part);
  const cells v = lies.cells_around(to_part)[some];
  plait::emulated::launch(to_queue, static_cast<double>(some.size()) / cells_per_s,
                          [u, b, v, how = how] { jacobi3d::relax(u, b, v, how); });
}

device_block::device_block(problem& p, const device_options& how)
    : gpu_(how.gpu),
      whole_(p.cells()),
      lies_(p.block(std::as_const(p.u))),
      relax_{lies_, how.cells_per_s, stores_for(whole_), how.relax},
      u_(gpu_, lies_.size()),
      v_(gpu_, lies_.size()),
      b_(gpu_, lies_.size()),
      faces_(plait::stencil::faces_of(p.whole().blocks(), p.rank())),
      parts_(plait::stencil::parts_of(how, lies_, faces_)) {
  cut_rim();
  cut_interior(p.parts().interior);
}

void device_block::load(problem& p, plait::runtime& rt) {
  rt.copy("start", in(elements(p, p.u, lies_)), out(u_));
  rt.copy("start", in(elements(p, p.v, lies_)), out(v_));
  rt.copy("start", in(elements(p, p.b, lies_)), out(b_));
  rt.wait();
}

void device_block::fetch(problem& p, int step, plait::runtime& rt) {
  rt.copy("result", in(iterate(step)), out(elements(p, p.u, lies_)));
  rt.wait();
}

void device_block::load_by_hand(problem& p) {
  const plait::queue there = plait::by_hand::queue_of(gpu_, up, "start");
  plait::by_hand::copy<double>(there, elements(p, p.u, lies_), u_.all());
  plait::by_hand::copy<double>(there, elements(p, p.v, lies_), v_.all());
  plait::by_hand::copy<double>(there, elements(p, p.b, lies_), b_.all());
  plait::by_hand::await(gpu_, plait::by_hand::record(there));
}

void device_block::fetch_by_hand(problem& p, int step) {
  const plait::queue here = plait::by_hand::queue_of(gpu_, down, "result");
  plait::by_hand::copy<double>(here, iterate(step).as_const(), elements(p, p.u, lies_));
  plait::by_hand::await(gpu_, plait::by_hand::record(here));
}

void device_block::cut_rim() {
  std::vector<std::int64_t> seen;
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const std::int64_t z = faces_[i].edge.low[axis::z];
    const auto known = std::ranges::find(seen, z);
    if (known != seen.end()) {
      rim_[static_cast<std::size_t>(known - seen.begin())].faces.push_back(i);
      continue;
    }
    seen.push_back(z);
    rim_.push_back({{i}, plait::stencil::parts_of_plane(faces_[i].edge, parts_)});
  }
}

void device_block::cut_interior(const box& interior) {
  box rest = interior;
  if (rest.empty()) return;
  const auto take = [&](std::int64_t low, std::int64_t high) {
    box planes = interior;
    planes.low[axis::z] = low;
    planes.high[axis::z] = high;
    return planes;
  };
  for (const plait::stencil::face& f : faces_) {
    if (rest.extent(axis::z) == 0) break;
    std::int64_t& low = rest.low[axis::z];
    std::int64_t& high = rest.high[axis::z];
    near_.push_back(f.where == plait::side::low ? take(low, low + 1) : take(high - 1, high));
    f.where == plait::side::low ? ++low : --high;
  }
  const std::int64_t planes = rest.extent(axis::z);
  const std::int64_t pieces = std::min(far_pieces, planes);
  for (std::int64_t i = 0; i < pieces; ++i)
    far_.push_back(take(rest.low[axis::z] + planes * i / pieces,
                        rest.low[axis::z] + planes * (i + 1) / pieces));
}

}  // namespace jacobi3d
