// SPDX-License-Identifier: BSD-3-Clause
// Both patterns as tasks.  A round or a burst is submitted without waiting for the one before:
// the data they share orders them.
#include <functional>
#include <span>

#include "traffic.hpp"

namespace plait::bench::message {
namespace {

enum class how { submitted, replayed, replayed_anew, replayed_persistent };

runtime_options options_of(const traffic& what, how messages) {
  return {.engine = {.policy = what.policy,
                     .persistent_requests = messages == how::replayed_anew ? persistence::never
                                            : messages == how::replayed_persistent
                                                ? persistence::always
                                                : persistence::where_faster},
          .tasks = {.workers = what.workers}};
}

// `once` submits one round or burst; `times` of it are timed.
template <how How>
double seconds_of(environment& env, runtime& rt, const std::function<void()>& once, long times) {
  if constexpr (How != how::submitted) {
    graph recorded = rt.record(once);
    return timed(env, [&](bool warm_up) {
      rt.replay(recorded, static_cast<std::uint64_t>(warm_up ? 2 : times)).wait();
    });
  } else {
    return timed(env, [&](bool warm_up) {
      for (long i = 0; i < (warm_up ? 2 : times); ++i) once();
      rt.wait();
    });
  }
}

template <how How>
double ping_pong(environment& env, const traffic& what) {
  bytes ball = initial_bytes(env, what.size_bytes);
  runtime rt{env, options_of(what, How)};
  const auto round = [&] {
    if (env.rank() == 0) {
      rt.send("ping", in(ball), 1);
      rt.recv("pong", out(ball), 1);
    } else {
      rt.recv("ping", out(ball), 0);
      rt.send("pong", in(ball), 0);
    }
  };
  const double seconds = seconds_of<How>(env, rt, round, what.rounds);
  expect_sent_bytes(ball);
  return seconds;
}

constexpr int answer_tag = 1;

// The next burst's messages read (or write) what this task is said to write (or read), so they
// wait for the answer, as in osu_bw.
void open_next_burst(char, bytes&) {}
void answer_burst(const bytes&, char& answer) {
  answer = 1;
}

template <how How>
double stream(environment& env, const traffic& what) {
  bytes all = initial_bytes(env, what.size_bytes * static_cast<std::size_t>(what.burst));
  char answer = 0;
  runtime rt{env, options_of(what, How)};
  const auto message = [&](int i) {
    return std::span(all).subspan(static_cast<std::size_t>(i) * what.size_bytes, what.size_bytes);
  };
  const auto burst = [&] {
    if (env.rank() == 0) {
      for (int i = 0; i < what.burst; ++i) rt.send("message", in(message(i)), 1);
      rt.recv("answer", out(answer), 1, answer_tag);
      rt.task("open next burst", open_next_burst, in(answer), inout(all));
    } else {
      for (int i = 0; i < what.burst; ++i) rt.recv("message", out(message(i)), 0);
      rt.task("answer burst", answer_burst, in(all), out(answer));
      rt.send("answer", in(answer), 0, answer_tag);
    }
  };
  const double seconds = seconds_of<How>(env, rt, burst, what.bursts);
  expect_sent_bytes(all);
  return seconds;
}

}  // namespace

way plait_tasks() {
  return {"plait", "rt.send and rt.recv, one rt.wait at the end", ping_pong<how::submitted>,
          stream<how::submitted>};
}

way plait_replayed() {
  return {"plait replayed", "one round, one burst recorded, then replayed",
          ping_pong<how::replayed>, stream<how::replayed>};
}

way plait_replayed_anew() {
  return {"plait replayed anew", "replayed, every message on a new MPI request",
          ping_pong<how::replayed_anew>, stream<how::replayed_anew>};
}

way plait_replayed_persistent() {
  return {"plait replayed persistent", "replayed, every message on a persistent MPI request",
          ping_pong<how::replayed_persistent>, stream<how::replayed_persistent>};
}

}  // namespace plait::bench::message
