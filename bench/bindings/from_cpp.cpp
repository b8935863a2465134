// SPDX-License-Identifier: BSD-3-Clause
// Tasks from C++: by the templates, and by the erased submitter that C stands on.
#include <cstdint>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "callers.hpp"

namespace plait::bench::bindings {
namespace {

struct alignas(64) chain_object {
  long value = 0;
};

void nothing(chain_object&) {}
void nothing_erased(void*) {}

using submit_one = void (*)(runtime&, chain_object&);

void submit_typed(runtime& rt, chain_object& x) {
  rt.task("nothing", nothing, inout(x));
}

void submit_erased(runtime& rt, chain_object& x) {
  const data_access whole{
      strided_bytes{.begin = reinterpret_cast<std::uintptr_t>(&x), .row_bytes = sizeof x},
      access_mode::inout};
  rt.submitter().task({.name = "nothing", .run = nothing_erased, .accesses = {&whole, 1}});
}

void submit(runtime& rt, submit_one one, std::vector<chain_object>& objects, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    one(rt, objects[static_cast<std::size_t>(i) % objects.size()]);
}

template <class Work>
double seconds_of(runtime& rt, const Work& work) {
  const ticks start = now_ticks();
  work();
  rt.wait();
  return ticks_to_seconds(now_ticks() - start);
}

}  // namespace

measure::json run_cpp(const std::string& how, const load& what) {
  char name[] = "bindings";
  char* words[] = {name, nullptr};
  char** argv = words;
  int argc = 1;
  environment env{argc, argv};
  const submit_one one = how == "erased" ? submit_erased : submit_typed;
  std::vector<chain_object> objects(static_cast<std::size_t>(what.chains));
  runtime rt{env, {.tasks = {.workers = what.workers, .in_flight = 4096}}};
  const auto anew = [&](std::int64_t count) {
    return seconds_of(rt, [&] { submit(rt, one, objects, count); });
  };
  (void)anew(what.tasks / 10);
  const double seconds = anew(what.tasks);

  const std::int64_t once = 16 * what.chains;
  graph recorded = rt.record([&] { submit(rt, one, objects, once); });
  const auto replayed = [&](std::int64_t iterations) {
    return seconds_of(rt, [&] { rt.replay(recorded, static_cast<std::uint64_t>(iterations)); });
  };
  const std::int64_t iterations = (what.tasks + once - 1) / once;
  (void)replayed(1 + iterations / 10);
  const double replay_seconds = replayed(iterations);
  return {{"ns_per_task", 1e9 * seconds / static_cast<double>(what.tasks)},
          {"ns_per_replayed_task", 1e9 * replay_seconds / static_cast<double>(iterations * once)}};
}

}  // namespace plait::bench::bindings
