// SPDX-License-Identifier: BSD-3-Clause
#include "leaders.hpp"

#include <memory>
#include <utility>

namespace redblack3d {
namespace {

using plait::measure::compared_variant;

/// Holds what the others need of this rank, and nothing that uses its core: no thread, no proxy.
struct attendance {
  std::optional<plait::engine> engine;
  std::optional<plait::runtime> runtime;

  void begin(plait::environment& env, const policy& how) {
    if (how.what == policy::kind::tasks) {
      runtime.emplace(env, plait::runtime_options{.workers = 1, .policy = plait::progress::none});
    } else {
      engine.emplace(env, plait::engine_options{.policy = plait::progress::none});
    }
  }
  void end() {
    runtime.reset();
    engine.reset();
  }
};

}  // namespace

leaders::leaders(plait::environment& env, const node_processes& processes, const domain& nodes)
    : env_(env), processes_(processes), blocks_(nodes.blocks()) {
  if (processes.leads(env.rank())) problem_.emplace(nodes, env.rank());
}

void leaders::keep_as_reference(const problem& found) {
  plait::engine messages(env_, {.policy = plait::progress::none});
  for (const colour c : both_colours) {
    array no_block(blocks_, env_.rank());
    array& to = problem_ ? problem_->u[index_of(c)] : no_block;
    plait::mover(plait::redistribution(found.u[index_of(c)], to), messages).run();
  }
  if (problem_) problem_->keep_as_reference();
}

compared_variant leaders::compared(const policy& how, slow_worker slow, int steps) {
  compared_variant result;
  if (problem_) {
    result = plait::measure::compared<problem>(how.name(), make_variant(env_, how, slow), *problem_,
                                               steps);
  } else {
    const auto present = std::make_shared<attendance>();
    result.name = how.name();
    result.takes_part = false;
    result.prepare = [this, present, how] { present->begin(env_, how); };
    result.finish = [present] {
      present->end();
      return run_report{};
    };
  }
  result.prepare = [this, prepare = std::move(result.prepare)] {
    processes_.give_cores_to_leaders(env_);
    prepare();
  };
  result.finish = [this, finish = std::move(result.finish)] {
    run_report report = finish();
    node_processes::give_cores_to_all(env_);
    return report;
  };
  return result;
}

}  // namespace redblack3d
