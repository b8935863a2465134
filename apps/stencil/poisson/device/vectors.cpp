// SPDX-License-Identifier: BSD-3-Clause
#include "device/vectors.hpp"

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "cg_cells_text.hpp"
#include "kernel.hpp"

namespace poisson {
namespace {

using plait::in;
using plait::out;

/// All elements of an array of the host.
std::span<double> elements(const problem& p, array& of, const plait::stencil::device_layout& lies) {
  const values all = p.block(of);
  return {all.at(all.cells().low), lies.size()};
}

}  // namespace

built_kernels::built_kernels(const plait::device& gpu)
    : turn(gpu, cg_cells_text, "turn_cells"),
      multiply(gpu, cg_cells_text, "multiply_cells"),
      shorten(gpu, cg_cells_text, "shorten_cells"),
      sum(gpu, cg_cells_text, "sum_lanes") {}

device_options with_kernels(const plait::stencil::device_options& on) {
  device_options result{on};
  if (!on.is_emulated) result.kernels.emplace(on.gpu);
  return result;
}

template <class... Arguments>
void kernels_there::launch(plait::queue q, const plait::opencl::kernel& what, const box& cells,
                           const Arguments&... arguments) const {
  const auto [nx, ny, nz] = cells.extent().along;
  const auto items = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const bool sums = &what == &built_->sum;
  const plait::opencl::extent all = sums ? plait::opencl::extent{lanes_of_a_sum}
                                         : plait::opencl::extent{items(nx), items(ny), items(nz)};
  plait::opencl::launch(q, what, all, arguments..., lies_.row(), lies_.plane(), nx, ny, nz);
}

void kernels_there::turn(plait::queue q, const_span_there r, span_there x, span_there p,
                         const coefficients& c, const box& cells) const {
  if (c.done) return;
  if (built_) return launch(q, built_->turn, cells, r, x, p, c.alpha, c.beta);
  const const_values r_cells = lies_.cells_around(r);
  plait::emulated::launch(
      q, seconds(cells),
      [c, r_cells, x_cells = lies_.cells_around(x)[cells], p_cells = lies_.cells_around(p)] {
        poisson::turn(r_cells, x_cells, p_cells, c);
      });
}

void kernels_there::product(plait::queue q, const_span_there own, span_there w, span_there lanes,
                            const coefficients& c, const box& cells) const {
  if (c.done) return;
  if (built_) {
    const auto row = static_cast<std::size_t>(lies_.row());
    const const_span_there p = own.part(row, own.size() - row);
    launch(q, built_->multiply, cells, p, w);
    return launch(q, built_->sum, cells, p, w.as_const(), lanes);
  }
  plait::emulated::launch(
      q, seconds(cells),
      [p_cells = lies_.cells_around(own), w_cells = lies_.cells_around(w)[cells], lanes] {
        multiply(p_cells, w_cells);
        sum_lanes_of(p_cells, w_cells, {lanes.data(), lanes.size()});
      });
}

void kernels_there::shorten(plait::queue q, const_span_there w, span_there r, span_there lanes,
                            const coefficients& c, const box& cells) const {
  if (c.done) return;
  if (built_) {
    launch(q, built_->shorten, cells, w, r, c.alpha);
    return launch(q, built_->sum, cells, r.as_const(), r.as_const(), lanes);
  }
  plait::emulated::launch(
      q, seconds(cells),
      [c, w_cells = lies_.cells_around(w), r_cells = lies_.cells_around(r)[cells], lanes] {
        double rr = 0;
        poisson::shorten(w_cells, r_cells, rr, c);
        sum_lanes_of(r_cells, r_cells, {lanes.data(), lanes.size()});
      });
}

void kernels_there::catch_up(plait::queue q, const_span_there p, span_there x,
                             const coefficients& c, const box& cells) const {
  if (built_) return launch(q, built_->shorten, cells, p, x, -c.alpha);
  plait::emulated::launch(
      q, seconds(cells),
      [c, p_cells = lies_.cells_around(p), x_cells = lies_.cells_around(x)[cells]] {
        poisson::catch_up(p_cells, x_cells, c);
      });
}

device_vectors::device_vectors(const problem& of, const device_options& how)
    : gpu(how.gpu),
      lies(of.block(of.x)),
      kernels(lies, how),
      x(gpu, lies.size()),
      r(gpu, lies.size()),
      p(gpu, lies.size()),
      w(gpu, lies.size()),
      pw_lanes(gpu, lanes_of_a_sum * of.strips().size()),
      rr_lanes(gpu, lanes_of_a_sum * of.strips().size()) {}

void device_vectors::load(problem& of, plait::runtime& rt) {
  const std::vector<double> zero(pw_lanes.size());
  rt.copy("start", in(elements(of, of.x, lies)), out(x));
  rt.copy("start", in(elements(of, of.r, lies)), out(r));
  rt.copy("start", in(elements(of, of.p, lies)), out(p));
  rt.copy("start", in(elements(of, of.w, lies)), out(w));
  rt.copy("start", in(zero), out(pw_lanes));
  rt.copy("start", in(zero), out(rr_lanes));
  rt.wait();
}

void device_vectors::fetch(problem& of, plait::runtime& rt) {
  rt.copy("result", in(x), out(elements(of, of.x, lies)));
  rt.copy("result", in(r), out(elements(of, of.r, lies)));
  rt.wait();
}

void device_vectors::load_by_hand(problem& of) {
  const plait::queue there = plait::by_hand::queue_of(gpu, plait::device_queue::to_device, "start");
  const std::vector<double> zero(pw_lanes.size());
  plait::by_hand::copy<double>(there, elements(of, of.x, lies), x.all());
  plait::by_hand::copy<double>(there, elements(of, of.r, lies), r.all());
  plait::by_hand::copy<double>(there, elements(of, of.p, lies), p.all());
  plait::by_hand::copy<double>(there, elements(of, of.w, lies), w.all());
  plait::by_hand::copy<double>(there, zero, pw_lanes.all());
  plait::by_hand::copy<double>(there, zero, rr_lanes.all());
  plait::by_hand::await(gpu, plait::by_hand::record(there));
}

void device_vectors::fetch_by_hand(problem& of) {
  const plait::queue here = plait::by_hand::queue_of(gpu, plait::device_queue::to_host, "result");
  plait::by_hand::copy<double>(here, x.all().as_const(), elements(of, of.x, lies));
  plait::by_hand::copy<double>(here, r.all().as_const(), elements(of, of.r, lies));
  plait::by_hand::await(gpu, plait::by_hand::record(here));
}

}  // namespace poisson
