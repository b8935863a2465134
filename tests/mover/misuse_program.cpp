// SPDX-License-Identifier: BSD-3-Clause
// What ends the job, on two ranks: `misuse_program unwinding|copies|tasks`.
#include <cstdint>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

namespace {

constexpr std::int64_t many = 1 << 22;  // more than a library sends before it is received

/// To the other rank, which never receives, from the cells themselves.
plait::move_plan never_received(const plait::environment& env, std::vector<std::byte>& cells) {
  const std::int64_t extents[] = {many};
  const std::int64_t strides[] = {1};
  plait::move_builder builder;
  builder.send(1 - env.rank(), {},
               plait::make_box_copy(extents, 1, nullptr, {}, cells.data(), strides));
  return builder.finish({.name = "never received"});
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  const std::string_view what = argc > 1 ? argv[1] : "";
  plait::runtime rt{env, {.tasks = {.workers = 1}}};
  plait::engine messages{env, {.policy = plait::progress::none}};
  if (what == "unwinding") {
    std::vector<std::byte> cells(many);
    try {
      plait::mover move{never_received(env, cells), messages};
      move.start();
      throw plait::usage_error("of the program");
    } catch (const plait::usage_error&) {
    }
    return 0;
  }
  const auto blocks = plait::decompose<1>({.global = 20, .ghosts = 1}, env.size());
  plait::block_array<double, 1> u{blocks, env.rank()};
  const plait::move_plan plan = plait::ghosts_of(u);
  plait::mover first{plan, messages};
  first.start();
  if (what == "tasks") {
    rt.move(plan);
    return 0;
  }
  plait::mover second{plan, messages};
  second.start();
}
