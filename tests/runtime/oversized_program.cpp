// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 has a block that the MPI library cannot count; rank 0 cannot know and waits.  The job must
// end all the same, even where rank 1 catches what it is told.
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.workers = 1}}};
  const plait::collective_options library{.back_end = plait::collective::back_end::library};
  const std::size_t own = env.rank() == 1 ? std::size_t{1} << 31 : 8;
  std::vector<std::byte> few(8);
  std::vector<std::byte> all(16);
  // Never touched: refused before anybody reads it.
  const std::span<const std::byte> x(few.data(), own);
  try {
    if (env.rank() == 0) {
      rt.gatherv("all", plait::in(x), plait::out(all), {{8, 0}, {8, 8}}, 0, library);
    } else {
      std::vector<std::byte> none;
      rt.gatherv("all", plait::in(x), plait::out(none), {}, 0, library);
    }
    rt.wait();
  } catch (const plait::usage_error& refused) {
    std::printf("caught: %s\n", refused.what());
    std::fflush(stdout);
    for (;;) rt.wait();
  }
}
