// SPDX-License-Identifier: BSD-3-Clause
#include "stage.hpp"

#include <utility>

namespace plait::test::mix {
namespace {

[[nodiscard]] runtime_options reporting(runtime_options o,
                                        std::function<void(const std::string&)> hangs) {
  o.tasks.stall_report_s = 30;
  o.stall_aborts = true;
  o.stall_sink = std::move(hangs);
  return o;
}

}  // namespace

job_memory memory_of_job(const moved_array& array) {
  job_memory job;
  for (int r = 0; r < array.tiles.ranks(); ++r) {
    job.push_back(std::make_unique<rank_memory>(array, r));
  }
  return job;
}

scene scene_of(const moved_array& array, const job_memory& job, const features& with) {
  scene s{.ranks = static_cast<int>(job.size()), .with = with, .array = &array, .region_bytes = {}};
  for (const auto& memory : job) {
    std::vector<std::size_t> bytes;
    for (const auto& region : memory->regions) bytes.push_back(region.size());
    s.region_bytes.push_back(std::move(bytes));
  }
  return s;
}

stage::stage(environment& env, const std::vector<communicator>& among, std::uint64_t seed,
             const features& with, std::function<void(const std::string&)> hangs)
    : env_(env),
      communicators_(among),
      options_(reporting(make_options(seed, env.size()), std::move(hangs))),
      array_(make_array(seed, env.size())),
      expected_(memory_of_job(array_)),
      memory_(array_, env.rank()),
      scene_(scene_of(array_, expected_, with)),
      moves_(plans_of(env, array_, memory_)),
      rt_(env, options_),
      slots_(
          rt_.window(words_of(memory_, arena::slot(0), arena::slot(env.size()) - arena::slot(0)))) {
  for (std::size_t i = 0; i < lanes; ++i)
    lanes_.push_back(std::make_unique<lane>(rt_, among[communicators + i]));
  memory_.targets = {rt_.resource("io"), rt_.resource("pair", 2)};
}

std::optional<std::string> stage::run(const program& all) {
  begin(all);
  memory_.copy(*expected_[static_cast<std::size_t>(env_.rank())]);
  env_.barrier();  // nobody puts into memory that is still being filled
  live_rank here{rt_, memory_, slots_, communicators_, lanes_, moves_, env_.rank()};
  for (const part& one : all.parts) run_part(here, one);
  all.apply(expected_);  // beside what still runs
  rt_.wait();
  env_.barrier();  // what others put is there, too
  const auto where = first_difference(*expected_[static_cast<std::size_t>(env_.rank())], memory_);
  if (!where.has_value()) return std::nullopt;
  return describe(all, *where);
}

void stage::begin(const program& all) {
  generator g(all.fill_seed);
  for (const auto& memory : expected_) memory->fill(g);
}

void stage::run_part(live_rank& here, const part& one) {
  const auto rank = static_cast<std::size_t>(here.rank);
  const auto submit_all = [&] {
    for (const std::size_t i : one.orders[rank]) one.statements[i]->submit(here);
  };
  const bool resizes = one.resizes();
  std::optional<graph> recorded;
  if (one.replays[rank]) {
    // Data must not change its size between the recording and the last replay that begins.
    if (resizes) rt_.wait();
    recorded = rt_.record(submit_all);
    if (recorded->tasks() > options_.tasks.in_flight) recorded.reset();
  }
  if (!recorded.has_value()) {
    for (std::uint64_t i = 0; i < one.iterations; ++i) submit_all();
  } else if (one.in_two_replays && !resizes) {
    rt_.replay(*recorded, 1);
    rt_.replay(*recorded, one.iterations - 1);
  } else {
    rt_.replay(*recorded, one.iterations);
  }
  if (one.waits_after) rt_.wait();
}

std::string stage::describe(const program& all, const spot& where) {
  const auto rank = static_cast<std::size_t>(env_.rank());
  const std::uint64_t expected = where.value(*expected_[rank]);
  begin(all);
  std::string last = "nothing";
  std::uint64_t value = where.value(*expected_[rank]);
  for (std::size_t p = 0; p < all.parts.size(); ++p) {
    const part& one = all.parts[p];
    for (std::uint64_t i = 0; i < one.iterations; ++i) {
      for (const auto& s : one.statements) {
        if (s == nullptr) continue;
        s->apply(expected_);
        const std::uint64_t now = where.value(*expected_[rank]);
        if (now == value) continue;
        value = now;
        last = "statement " + std::to_string(s->number) + " of part " + std::to_string(p) +
               ", iteration " + std::to_string(i) + " of " + std::to_string(one.iterations) +
               (one.replays[rank] ? ", replayed: " : ": ") + s->text();
      }
    }
  }
  return "rank " + std::to_string(rank) + ": " + where.text() + ": expected " +
         std::to_string(expected) + ", got " + std::to_string(where.value(memory_)) +
         "\n  changed last by " + last + "\n  " + to_string(options_);
}

}  // namespace plait::test::mix
