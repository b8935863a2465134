// SPDX-License-Identifier: BSD-3-Clause
// Promises 1 to 3 on programs that mix all that plait can do: tasks, nested, commutative and
// reducing, on resources, held and released by other threads; containers that change their size;
// messages, collectives, windows, moves and communicators; recordings and waits.  Every rank ends
// with the bits of the serial execution.
//
//     runtime_test_random_mix [--programs N] [--seed S] [--progress] [--list]
//                             [--drop NUMBER,…] [--leave-out containers,library-vectors]
//
// A failure names the seed that repeats it; tests/runtime/random_mix/shrink.py makes it smaller.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>

#include "random_mix/stage.hpp"
#include "soaking.hpp"
#include "support/mpi_test.hpp"
#include "support/watchdog.hpp"

namespace plait::test::mix {
namespace {

[[nodiscard]] std::vector<std::string> words_apart(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) all.push_back(word);
  return all;
}

struct mix_options {
  soak_options soak;
  features with;
  std::vector<std::size_t> drop;
  bool lists = false;
};

[[nodiscard]] mix_options options_of_this_process() {
  const std::vector<std::string> words = words_of_this_process();
  mix_options o{.soak = soak_options_from(words, 400), .with = {}, .drop = {}};
  for (const auto& one : words_apart(value_after(words, "--leave-out").value_or(""))) {
    if (one == "containers") {
      o.with.containers = false;
    } else if (one == "library-vectors") {
      o.with.library_vectors = false;
    } else {
      throw usage_error("--leave-out '" + one + "': there are containers and library-vectors");
    }
  }
  for (const auto& one : words_apart(value_after(words, "--drop").value_or(""))) {
    o.drop.push_back(number_from(one, "--drop"));
  }
  o.lists = std::ranges::find(words, "--list") != words.end();
  return o;
}

[[nodiscard]] std::string reproduction(std::uint64_t seed, const environment& env) {
  return "mpiexec -n " + std::to_string(env.size()) +
         " runtime_test_random_mix --programs 1 --seed " + std::to_string(seed);
}

void list_statements(const program& all) {
  for (std::size_t p = 0; p < all.parts.size(); ++p) {
    const part& one = all.parts[p];
    std::string replays;
    for (const bool replayed : one.replays) replays.append(replayed ? " replayed" : " submitted");
    std::printf("part %zu, %llu iterations, by rank:%s\n", p,
                static_cast<unsigned long long>(one.iterations), replays.c_str());
    for (const auto& s : one.statements) {
      if (s != nullptr) std::printf("  %zu %s\n", s->number, s->text().c_str());
    }
  }
  std::fflush(stdout);
}

/// Counts of the programs so far and of the statements that all ranks have submitted.
struct statement_counts {
  std::uint64_t programs = 0;
  std::uint64_t statements = 0;

  void add(const program& all) {
    ++programs;
    for (const part& p : all.parts) statements += p.iterations * p.statements.size();
  }
};

TEST(random_mix, ends_with_the_bits_of_its_serial_execution) {
  environment& env = test_environment();
  const mix_options options = options_of_this_process();
  const std::vector<communicator> communicators = make_communicators(env);
  progress_printer progress(options.soak, env.rank());
  statement_counts counts;
  std::unique_ptr<stage> on;
  std::uint64_t seed = options.soak.seed;
  bool failed = false;
  const auto tell_hang = [&](const std::string& report) {
    std::fprintf(stderr, "random mix, seed %llu, rank %d hangs\n%s\n  repeat: %s\n",
                 static_cast<unsigned long long>(seed), env.rank(), report.c_str(),
                 reproduction(seed, env).c_str());
    std::fflush(stderr);
  };
  for (; counts.programs < options.soak.programs; ++seed) {
    set_current_test("random mix, seed " + std::to_string(seed) +
                     "; repeat: " + reproduction(seed, env));
    try {
      if (on == nullptr) {
        on = std::make_unique<stage>(env, communicators, seed, options.with, tell_hang);
      }
      program all = on->make(seed);
      if (!options.drop.empty()) all.drop(options.drop);
      if (options.lists && env.rank() == 0) list_statements(all);
      counts.add(all);
      if (const auto wrong = on->run(all)) {
        failed = true;
        ADD_FAILURE() << "seed " << seed << ", " << *wrong
                      << "\n  repeat: " << reproduction(seed, env);
      }
    } catch (const std::exception& e) {
      env.abort(std::string(e.what()) + "; repeat: " + reproduction(seed, env));
    }
    progress.done(counts.programs, seed);
    if ((seed + 1) % programs_of_a_runtime != 0) continue;
    on.reset();  // whose threads call MPI: the ranks agree without it
    if (failed_anywhere(env, failed)) return;
  }
  on.reset();
  if (failed_anywhere(env, failed) || env.rank() != 0) return;
  std::printf("%llu programs, %llu statements\n", static_cast<unsigned long long>(counts.programs),
              static_cast<unsigned long long>(counts.statements));
}

/// Returns the number of programs whose listings mention `what`.
[[nodiscard]] std::size_t mentions(const std::vector<std::string>& texts, const char* what) {
  return static_cast<std::size_t>(std::ranges::count_if(
      texts, [what](const std::string& text) { return text.find(what) != std::string::npos; }));
}

TEST(random_mix, holds_what_makes_it_hard) {
  constexpr int ranks = 3;
  std::vector<std::string> texts;
  std::size_t replayed = 0;
  std::size_t late = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const moved_array array = make_array(seed, ranks);
    const job_memory job = memory_of_job(array);
    const program all = make_program(seed, scene_of(array, job, {}));
    for (const part& p : all.parts) {
      replayed += static_cast<std::size_t>(std::ranges::count(p.replays, true));
      for (const auto& order : p.orders) late += std::ranges::is_sorted(order) ? 0 : 1;
      for (const auto& s : p.statements) texts.push_back(s->text());
    }
  }
  EXPECT_GT(replayed, 100U);
  EXPECT_GT(late, 100U) << "orders in which tasks have slipped behind others";
  for (const char* what : {"commutative(",
                           "reduce<sum>",
                           "reduce<product>",
                           "as a box",
                           "{ task",
                           "message from",
                           ": 0 bytes",
                           "put_signal",
                           "signal, await",
                           "get, slot",
                           "put, slot",
                           "move by",
                           "move: deal",
                           "move: take back",
                           "move: fetch",
                           "move: give",
                           "source free early",
                           "wait_on",
                           "result of",
                           ": wait",
                           "assign",
                           "grow nested",
                           "insert",
                           "exchange",
                           "by the library",
                           "in place",
                           "not commutative",
                           "communicator 5",
                           "communicator 3",
                           "counted message",
                           "on resource 0",
                           "on resource 1",
                           "lane 0",
                           "lane 1",
                           "held, task",
                           "message to the task itself"}) {
    EXPECT_GT(mentions(texts, what), 9U) << what;
  }
  for (const collective::operation what : collective::all_operations) {
    EXPECT_GT(mentions(texts, std::string(collective::to_string(what)).c_str()), 4U)
        << collective::to_string(what);
  }
}

}  // namespace
}  // namespace plait::test::mix
