// SPDX-License-Identifier: BSD-3-Clause
// Ranks that fail at the same moment while rank 0, which has nothing left to do, ends:
// failing_program sizes|tasks|expects.
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/plait.hpp>

namespace {

// Rank 0 has sent what it had; what comes fits no other rank.
void broadcast_of_different_sizes(plait::environment& env) {
  plait::runtime rt{env};
  std::vector<int> values(static_cast<std::size_t>(3 + env.rank()));
  rt.bcast("values", plait::inout(values), 0);
  rt.wait();
}

void tasks_that_throw(plait::environment& env) {
  plait::runtime rt{env, {.tasks = {.workers = 2}}};
  double never = 0;
  if (env.rank() > 0) {
    rt.recv("never sent", plait::out(never), 0);
    rt.task("throws", [] { throw std::runtime_error("singular"); });
  }
  rt.wait();
}

void preconditions_of_two_threads(const plait::environment& env) {
  const auto fail = [&env] { PLAIT_EXPECTS(env.rank() == 0, "two threads at once"); };
  std::thread other(fail);
  fail();
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  const std::string_view way = argc > 1 ? argv[1] : "";
  env.barrier();
  if (way == "sizes") broadcast_of_different_sizes(env);
  if (way == "tasks") tasks_that_throw(env);
  if (way == "expects") preconditions_of_two_threads(env);
}
