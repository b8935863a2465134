// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with the overlap written by hand.  Post everything, compute what needs
// no ghosts in pieces and look after the messages between them, wait, compute the rim.  Variant
// `split`, the split loop as it is usually printed, computes it in one piece and never looks.
#include <utility>
#include <vector>

#include "halo_pair.hpp"
#include "measure/compare/stepwise.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::activity;

// The library moves large messages only inside its calls.  A quarter of a million cells take well
// under a millisecond: often enough to keep a gigabit link busy, seldom enough to cost nothing.
constexpr std::int64_t cells_between_looks = std::int64_t{1} << 18;

struct olap_step {
  olap_step(problem& p, MPI_Comm communicator)
      : halos(p, communicator),
        parts(p.parts()),
        pieces(plait::cut_in_tiles(parts.interior, {.rows = plait::stencil::tile_rows(p.block(p.u)),
                                                    .cells = cells_between_looks})) {}

  void operator()(problem& p, plait::measure::stopwatch& watch) {
    plait::stencil::halo_mpi& ghosts = halos.next();
    ghosts.start(watch);
    bool done = !looks;
    for (const box& piece : pieces) {
      p.relax(piece);
      watch.lap(activity::compute, "interior");
      if (!done) done = ghosts.look(watch);
    }
    ghosts.finish(watch);
    for (const box& slice : parts.rim) p.relax(slice);
    watch.lap(activity::compute, "rim");
    std::swap(p.u, p.v);
  }

  halo_pair halos;
  plait::interior_and_rim<3> parts;
  std::vector<box> pieces;  ///< of the interior
  bool looks = true;        ///< between them
};

struct split_step : olap_step {
  split_step(problem& p, MPI_Comm communicator) : olap_step(p, communicator) {
    pieces = {parts.interior};
    looks = false;
  }
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env) {
  return plait::measure::stepwise_of<problem, olap_step>(setting::distributed, plait::native(env));
}

std::unique_ptr<variant> make_split(plait::environment& env) {
  return plait::measure::stepwise_of<problem, split_step>(setting::distributed, plait::native(env));
}

}  // namespace jacobi3d
