// SPDX-License-Identifier: BSD-3-Clause
// Variant `tiles`: the tasks of `plait` in another order, in which a tile of cells takes several
// steps while it is in the cache, messages and all.  So it computes in less time than base, which
// hides nothing: its computation alone is `tiles_ideal`, the same tasks without messages, each rank
// on a problem of its own.
#include <memory>

#include "tasks/task_variant.hpp"

namespace jacobi3d {
namespace {

class tiles final : public task_variant {
  using task_variant::task_variant;

  [[nodiscard]] std::unique_ptr<sweep> make_sweep(problem& p) const override {
    return make_time_tiles(p, options_.tile, tile_messages::sent);
  }
};

class tiles_ideal final : public task_variant {
 public:
  using task_variant::task_variant;

  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

 private:
  [[nodiscard]] std::unique_ptr<sweep> make_sweep(problem& p) const override {
    return make_time_tiles(p, options_.tile, tile_messages::none);
  }
  // There is nothing to look after.
  [[nodiscard]] plait::progress policy() const noexcept override { return plait::progress::none; }
};

}  // namespace

std::unique_ptr<variant> make_tiles(plait::environment& env, const options& chosen) {
  return std::make_unique<tiles>(env, chosen);
}

std::unique_ptr<variant> make_tiles_ideal(plait::environment& env, const options& chosen) {
  return std::make_unique<tiles_ideal>(env, chosen);
}

}  // namespace jacobi3d
