// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 leaves a window after a failure, while the others put into it without end.  Then its
// memory is its own: leaving_program messages|rma.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <plait/plait.hpp>

namespace {

constexpr std::size_t elements = 20'000;  // of a put: some are in letters, some are not
constexpr std::size_t parts = 8;

void put_without_end(plait::runtime& rt, const plait::window<int>& w) {
  std::vector<int> x(elements, rt.env().rank());
  for (std::size_t i = 0;; ++i) {
    const std::size_t count = i % 2 == 0 ? elements : 100;
    rt.put("flood", w, 0, i % parts * elements, plait::in(std::span(x).first(count)));
  }
}

void fail(plait::runtime& rt) {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // all put by then
  rt.task("fails", [] { throw std::runtime_error("on purpose"); });
  try {
    rt.wait();
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  const auto on = plait::windows_on_from(argc > 1 ? argv[1] : "");
  if (!on) return 2;
  std::vector<int> own(parts * elements, -1);
  plait::runtime rt{env,
                    {.engine = {.policy = plait::progress::sleeping}, .tasks = {.workers = 2}}};
  {
    auto w = rt.window(own, {.on = *on});
    if (env.rank() > 0) put_without_end(rt, w);
    fail(rt);
  }
  const auto put = std::ranges::count_if(own, [](int x) { return x > 0; });
  std::ranges::fill(own, -2);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const bool intact = std::ranges::all_of(own, [](int x) { return x == -2; });
  std::printf("put before: %s, written since: %s\n", put > 0 ? "yes" : "no", intact ? "no" : "yes");
  std::fflush(stdout);
  env.abort("the end of the test");
}
