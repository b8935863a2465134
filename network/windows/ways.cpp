// SPDX-License-Identifier: BSD-3-Clause
#include "ways.hpp"

#include <chrono>
#include <span>
#include <thread>

#include <fmt/format.h>

namespace plait::network::windows {
namespace {

[[nodiscard]] std::uint8_t pattern_at(std::size_t index, unsigned seed) {
  return static_cast<std::uint8_t>((index + seed) % 251 + 1);
}

constexpr unsigned got_seed = 3;
constexpr unsigned put_seed = 7;

void compute(double seconds) {
  const ticks end = now_ticks() + seconds_to_ticks(seconds);
  while (now_ticks() < end) {
  }
}

void expect_pattern(std::span<const std::uint8_t> bytes, unsigned seed, const char* what) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != pattern_at(i, seed))
      throw error(fmt::format("byte {} of {} is {} and should be {}", i, what, bytes[i],
                              pattern_at(i, seed)));
  }
}

[[nodiscard]] window<std::uint8_t> make_window(runtime& rt, const way& how,
                                               std::vector<std::uint8_t>& exposed) {
  const window_options options{.on = how.on};
  if (how.finds_memory) return rt.allocate_window<std::uint8_t>(exposed.size(), options);
  return rt.window(exposed, options);
}

}  // namespace

const std::vector<way>& all_ways() {
  static const std::vector<way> all{
      {"messages", "two-sided messages that the target's engine answers", windows_on::messages,
       false},
      {"rma", "MPI_Rput, MPI_Rget, MPI_Win_flush; MPI_Win_create over the program's memory",
       windows_on::rma, false},
      {"rma allocated", "the same over memory of MPI_Win_allocate", windows_on::rma, true}};
  return all;
}

trial::trial(environment& env, const way& how, std::size_t size_bytes, int burst, progress policy)
    : env_(env),
      rt_(env, {.engine = {.policy = policy}, .tasks = {.workers = 1}}),
      size_(size_bytes),
      burst_(burst),
      exposed_((static_cast<std::size_t>(burst) + 1) * size_bytes),
      window_(make_window(rt_, how, exposed_)),
      got_(size_bytes),
      source_(size_bytes) {
  for (std::size_t i = 0; i < size_; ++i) {
    window_.local()[i] = pattern_at(i, got_seed);
    source_[i] = pattern_at(i, put_seed);
  }
  env_.barrier();
}

void trial::get() {
  rt_.get("get", window_, 1, 0, out(got_));
  rt_.wait();
}
void trial::put() {
  rt_.put("put", window_, 1, size_, in(source_));
  rt_.wait();
}

template <class Operate>
double trial::mean_s(int times, Operate operate) {
  env_.barrier();
  double seconds = 0;
  if (env_.rank() == 0) {
    operate();  // not counted
    const ticks begin = now_ticks();
    for (int i = 0; i < times; ++i) operate();
    seconds = ticks_to_seconds(now_ticks() - begin) / times;
  }
  env_.barrier();
  return seconds;
}

double trial::get_s(int times) {
  return mean_s(times, [this] { get(); });
}
double trial::put_s(int times) {
  return mean_s(times, [this] { put(); });
}

double trial::stream_s() {
  env_.barrier();
  const ticks begin = now_ticks();
  if (env_.rank() == 0) {
    for (int i = 1; i <= burst_; ++i) {
      rt_.put("stream", window_, 1, size_ * static_cast<std::size_t>(i), in(source_));
    }
    rt_.wait();
  }
  const double seconds = ticks_to_seconds(now_ticks() - begin) / burst_;
  env_.barrier();
  return seconds;
}

template <class Operate>
double trial::mean_beside_s(double computes_s, Operate operate) {
  env_.barrier();
  double seconds = 0;
  if (env_.rank() == 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(computes_s / 5));
    const ticks begin = now_ticks();
    const ticks end = begin + seconds_to_ticks(computes_s / 2);
    int count = 0;
    do {
      operate();
      ++count;
    } while (now_ticks() < end);
    seconds = ticks_to_seconds(now_ticks() - begin) / count;
  } else {
    rt_.task("compute", compute, computes_s);
    rt_.wait();
  }
  env_.barrier();
  return seconds;
}

double trial::get_beside_s(double computes_s) {
  return mean_beside_s(computes_s, [this] { get(); });
}
double trial::put_beside_s(double computes_s) {
  return mean_beside_s(computes_s, [this] { put(); });
}

void trial::expect_right() {
  if (env_.rank() == 0) {
    expect_pattern(got_, got_seed, "what was got");
  } else {
    for (int i = 1; i <= burst_; ++i) {
      const std::size_t at = size_ * static_cast<std::size_t>(i);
      expect_pattern(window_.local().subspan(at, size_), put_seed, "what was put");
    }
  }
}

}  // namespace plait::network::windows
