// SPDX-License-Identifier: BSD-3-Clause
// Promises 1 to 3 and 6 on random programs: whatever the workers, the policy, the limit and the
// disturbance, every rank ends with the bits of the serial execution, and no two of its threads are
// in MPI at a time, the program itself after each `wait` included.
//
//     runtime_test_random_programs [--programs N] [--seed S] [--progress]
//
// Runs at least N programs, from seed S on.  A failure names the seed that repeats it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "one_call_at_a_time.hpp"
#include "random_program.hpp"
#include "soaking.hpp"
#include "support/mpi_test.hpp"
#include "support/watchdog.hpp"
#include "task/box.hpp"

namespace plait::test {
namespace {

// --- running a program through plait -------------------------------------------------------------

/// Calls `use` with the access word of `a`, applied to a span of its elements or a view of its box.
template <class Use>
void with_access(memory& m, const planned_access& a, Use use) {
  const auto apply = [&](auto view) {
    if (a.mode == access_mode::in) {
      use(in(view));
    } else if (a.mode == access_mode::out) {
      use(out(view));
    } else if (a.mode == access_mode::commutative) {
      use(commutative(view));
    } else {
      use(inout(view));
    }
  };
  const auto apply_to = [&](auto elements) {
    const auto row = std::span(elements).subspan(a.begin, a.end - a.begin);
    if (a.rows.has_value()) {
      const auto& [count, stride] = *a.rows;
      apply(box_view<typename decltype(row)::element_type>{
          row.data(), {count[0], count[1], row.size()}, stride});
    } else {
      apply(row);
    }
  };
  if (a.array == element::byte) {
    apply_to(std::span(m.bytes));
  } else {
    apply_to(std::span(m.words));
  }
}

template <class T>
[[nodiscard]] void* first_byte(std::span<T> of) {
  return const_cast<std::remove_const_t<T>*>(of.data());
}
template <class T>
[[nodiscard]] void* first_byte(const box_view<T>& of) {
  return const_cast<std::remove_const_t<T>*>(of.first);
}

void burn(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The first access arrives as an argument, the others are declared with `also`.
void submit_task(runtime& rt, memory& m, const step& s) {
  with_access(m, s.accesses[0], [&](const auto& first) {
    const auto run = [](auto view, const step* task, memory* data) {
      burn(task->spin_us);
      std::vector<task_view> views;
      for (const auto& a : task->accesses) views.push_back({address(*data, a), a});
      views[0].data = first_byte(view);
      mix(*task, std::move(views));
    };
    auto task = rt.task("mix", run, first, &s, &m);
    task.priority(s.urgency);
    for (std::size_t i = 1; i < s.accesses.size(); ++i) {
      with_access(m, s.accesses[i], [&task](const auto& more) { task.also(more); });
    }
  });
}

void submit(runtime& rt, memory& m, const step& s) {
  const auto span_of = [&m](const planned_access& a, auto use) {
    if (a.array == element::byte) {
      use(std::span(m.bytes).subspan(a.begin, a.end - a.begin));
    } else {
      use(std::span(m.words).subspan(a.begin, a.end - a.begin));
    }
  };
  switch (s.what) {
    case step::kind::task:
      submit_task(rt, m, s);
      break;
    case step::kind::send:
      span_of(s.accesses[0], [&](auto span) { rt.send("send", in(span), s.peer, s.tag); });
      break;
    case step::kind::receive:
      span_of(s.accesses[0], [&](auto span) { rt.recv("receive", out(span), s.peer, s.tag); });
      break;
    case step::kind::wait:
      rt.wait();
      call_mpi(rt.env());
      break;
  }
}

[[nodiscard]] bool fits_limit(const rank_program& statements, std::size_t in_flight) {
  return static_cast<std::size_t>(
             std::count_if(statements.begin(), statements.end(),
                           [](const step& s) { return s.what == step::kind::task; })) <= in_flight;
}

void run_program(runtime& rt, memory& m, const random_program& program, std::size_t rank,
                 std::size_t in_flight) {
  const rank_program& statements = program.ranks[rank];
  const auto submit_all = [&] {
    for (const step& s : statements) submit(rt, m, s);
  };
  if (!program.replays.empty() && program.replays[rank] && fits_limit(statements, in_flight)) {
    graph recorded = rt.record(submit_all);
    rt.replay(recorded, static_cast<std::uint64_t>(program.iterations));
    return;
  }
  for (int i = 0; i < program.iterations; ++i) submit_all();
}

// --- comparing -----------------------------------------------------------------------------------

[[nodiscard]] std::string first_difference(const memory& expected, const memory& got) {
  const auto compare = [](const char* array, const auto& e, const auto& g) -> std::string {
    for (std::size_t i = 0; i < e.size(); ++i) {
      if (e[i] == g[i]) continue;
      return std::string(array) + "[" + std::to_string(i) + "]: expected " + std::to_string(e[i]) +
             ", got " + std::to_string(g[i]);
    }
    return {};
  };
  const std::string in_bytes = compare("bytes", expected.bytes, got.bytes);
  return in_bytes.empty() ? compare("words", expected.words, got.words) : in_bytes;
}

[[nodiscard]] std::string describe(const runtime_options& o) {
  return "workers " + std::to_string(o.tasks.workers) + ", policy " +
         std::string(to_string(o.engine.policy)) + ", in_flight " +
         std::to_string(o.tasks.in_flight) + ", disturbance " +
         std::to_string(o.engine.disturb.probability) +
         (o.tasks.measured_priorities ? "" : ", no measured priorities") +
         (o.engine.persistent_requests == persistence::always ? ", persistent requests" : "");
}

[[nodiscard]] std::string reproduction(std::uint64_t seed, int ranks) {
  return "mpiexec -n " + std::to_string(ranks) +
         " runtime_test_random_programs --programs 1 --seed " + std::to_string(seed);
}

/// Runs the case; adds a failure for every program that ends differently.  Returns their number.
int run_case(environment& env, const random_case& c, std::uint64_t seed) {
  const auto rank = static_cast<std::size_t>(env.rank());
  int failures = 0;
  runtime rt{env, c.options};
  for (std::size_t i = 0; i < c.programs.size(); ++i) {
    const random_program& program = c.programs[i];
    const auto expected = run_reference(program);
    if (!expected.has_value()) throw std::logic_error("the generator made programs that deadlock");
    memory data = program.initial[rank];
    run_program(rt, data, program, rank, c.options.tasks.in_flight);
    rt.wait();
    call_mpi(env);
    if (data == (*expected)[rank]) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ", program " << i << ", rank " << rank << ", "
                  << first_difference((*expected)[rank], data) << "\n  " << describe(c.options)
                  << "\n  repeat: " << reproduction(seed, env.size());
  }
  for (const ledger_entry& e : rt.ledger()) {
    if (e.wall_s < 2e-3) continue;  // its clocks are read up to a microsecond apart
    EXPECT_LT(e.balance_error(), 0.01)
        << "the ledger of rank " << rank << ", worker " << e.worker << " over " << e.wall_s
        << " s; seed " << seed << ", " << describe(c.options);
  }
  EXPECT_EQ(calls_beside_others(), 0)
      << "another thread was in MPI; seed " << seed << ", " << describe(c.options);
  return failures;
}

// --- tests ---------------------------------------------------------------------------------------

/// Counts of the programs so far and of the tasks and messages that all ranks have run.
struct run_counts {
  std::uint64_t programs = 0;
  std::uint64_t tasks = 0;
  std::uint64_t messages = 0;  ///< sends and receives

  void add(const random_program& program) {
    ++programs;
    const auto iterations = static_cast<std::uint64_t>(program.iterations);
    for (const rank_program& rank : program.ranks) {
      for (const step& s : rank) {
        if (s.what == step::kind::task) tasks += iterations;
        if (s.what == step::kind::send || s.what == step::kind::receive) messages += iterations;
      }
    }
  }
};

TEST(random_programs, end_with_the_bits_of_their_serial_execution) {
  environment& env = test_environment();
  const soak_options options = soak_options_from(words_of_this_process(), 600);
  progress_printer progress(options, env.rank());
  run_counts done;
  for (std::uint64_t seed = options.seed; done.programs < options.programs; ++seed) {
    set_current_test("random programs, seed " + std::to_string(seed) +
                     "; repeat: " + reproduction(seed, env.size()));
    int failures = 0;
    try {
      const random_case c = make_case(seed, env.size());
      failures = run_case(env, c, seed);
      for (const random_program& program : c.programs) done.add(program);
    } catch (const std::exception& e) {
      env.abort(std::string(e.what()) + "; repeat: " + reproduction(seed, env.size()));
    }
    progress.done(done.programs, seed);
    if (failed_anywhere(env, failures != 0)) return;
  }
  EXPECT_GT(calls_of_mpi(), static_cast<long long>(done.programs)) << "nothing stands in for MPI's";
  if (env.rank() != 0) return;
  std::printf(
      "%llu programs, %llu tasks, %llu messages\n", static_cast<unsigned long long>(done.programs),
      static_cast<unsigned long long>(done.tasks), static_cast<unsigned long long>(done.messages));
}

step message(step::kind what, int peer, planned_access access) {
  step s;
  s.what = what;
  s.peer = peer;
  s.accesses = {access};
  s.accesses[0].mode = what == step::kind::send ? access_mode::in : access_mode::out;
  return s;
}

TEST(random_programs, reference_delivers_what_was_sent_at_its_submission) {
  const planned_access low{element::byte, 0, 2, access_mode::out};
  const planned_access high{element::byte, 2, 4, access_mode::inout};
  step change;
  change.accesses = {high};
  random_program p;
  p.initial = {{{1, 2, 3, 4}, {}}};
  p.ranks = {{message(step::kind::send, 0, high), message(step::kind::receive, 0, low), change}};
  const auto end = run_reference(p);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ((*end)[0].bytes[0], 3);
  EXPECT_EQ((*end)[0].bytes[1], 4);
  EXPECT_NE((*end)[0].bytes[2], 3);
}

TEST(random_programs, reference_sees_a_deadlock) {
  const planned_access low{element::byte, 0, 2, access_mode::out};
  random_program p;
  p.initial = {{{1, 2, 3, 4}, {}}};
  p.ranks = {{message(step::kind::receive, 0, low), message(step::kind::send, 0, low)}};
  EXPECT_FALSE(run_reference(p).has_value()) << "it sends what it receives";
}

TEST(random_programs, hold_what_makes_them_hard) {
  std::size_t tasks = 0;
  std::size_t messages = 0;
  std::size_t same = 0;
  std::size_t partial = 0;
  std::size_t replayed = 0;
  std::size_t boxes = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const random_program& p : make_case(seed, 2).programs) {
      replayed += static_cast<std::size_t>(std::count(p.replays.begin(), p.replays.end(), true));
      for (const rank_program& r : p.ranks) {
        for (std::size_t i = 0; i < r.size(); ++i) {
          tasks += r[i].what == step::kind::task;
          for (const planned_access& a : r[i].accesses) boxes += a.rows.has_value();
          messages += r[i].what == step::kind::send || r[i].what == step::kind::receive;
          if (i == 0 || r[i].accesses.empty() || r[i - 1].accesses.empty()) continue;
          const planned_access& a = r[i - 1].accesses[0];
          const planned_access& b = r[i].accesses[0];
          if (!overlap(a, b)) continue;
          ++(a.begin == b.begin && a.end == b.end ? same : partial);
        }
      }
    }
  }
  EXPECT_GT(tasks, 3000U);
  EXPECT_GT(messages, 3000U);
  EXPECT_GT(same, 200U);
  EXPECT_GT(partial, 500U);
  EXPECT_GT(replayed, 10U);
  EXPECT_GT(boxes, 1000U);
}

}  // namespace
}  // namespace plait::test
