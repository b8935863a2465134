// SPDX-License-Identifier: BSD-3-Clause
// Variant `tiles`: the tasks of `plait` in another order, in which a tile of cells takes several
// steps while it is in the cache, messages and all.  So it computes in less time than base, which
// hides nothing: its computation alone is `tiles_ideal`, the same tasks without messages, each rank
// on a problem of its own.
#include "tasks/task_variant.hpp"

namespace jacobi3d {
namespace {

sweep_maker tiles(const tile_shape& tile, tile_messages messages) {
  return [tile, messages](problem& p) { return make_time_tiles(p, tile, messages); };
}

}  // namespace

std::unique_ptr<variant> make_tiles(plait::environment& env, const options& chosen) {
  return make_task_variant(env, chosen.tasks, tiles(chosen.tile, tile_messages::sent),
                           setting::distributed);
}

std::unique_ptr<variant> make_tiles_ideal(plait::environment& env, const options& chosen) {
  plait::measure::task_options how = chosen.tasks;
  how.policy = plait::progress::none;  // there is nothing to look after
  return make_task_variant(env, how, tiles(chosen.tile, tile_messages::none), setting::isolated);
}

}  // namespace jacobi3d
