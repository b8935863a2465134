// SPDX-License-Identifier: BSD-3-Clause
// A program that knows of no recording, and what PLAIT_RECORD has kept of it:
// recorded_program FOLDER
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/core/text_file.hpp>
#include <plait/plait.hpp>
#include <plait/trace/recording.hpp>

namespace {

using plait::in, plait::inout, plait::out;

constexpr int rounds = 3;
constexpr std::uint64_t iterations = 4;

int wrong = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++wrong;
  std::printf("wrong: %s\n", what.c_str());
}

void add_one(int& x) {
  ++x;
}

void run(plait::environment& env) {
  std::vector<int> edge(100, env.rank());  // which live longer than the runtime, whose end waits
  std::vector<int> ghost(100);
  std::vector<char> long_one(1 << 20);
  char short_one = 0;
  std::vector<char> come(long_one.size());
  std::vector<int> table(100), far(100), read(100);
  int sum = 0;
  plait::runtime rt{env, {.tasks = {.workers = 2}}};
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  const auto round = [&] {
    rt.send("edge", in(edge), right, 7);
    rt.recv("ghost", out(ghost), left, 7);
    rt.task(
        "rim", [](const std::vector<int>& from, std::vector<int>& to) { to[0] = from[0] + 1; },
        in(ghost), inout(edge));
  };
  for (int i = 0; i < rounds; ++i) round();
  const auto tables = rt.window(table);
  const auto fars = rt.window(far);
  rt.get("read", tables, right, 0, out(read));
  rt.put_signal("write", fars, right, 0, in(edge));
  rt.await_signal("written", fars, left, out(far));
  rt.wait();
  plait::graph sweep = rt.record(round);
  rt.replay(sweep, iterations).wait();
  rt.allreduce("sum", in(edge[0]), out(sum));
  const auto hand_over = [&] {
    rt.task(
          "hand over",
          [left, right](const int& from, int& to) {
            MPI_Sendrecv(&from, 1, MPI_INT, right, 3, &to, 1, MPI_INT, left, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            MPI_Barrier(MPI_COMM_SELF);  // which waits for nobody
          },
          in(edge[1]), inout(ghost[1]))
        .priority(plait::high);
  };
  hand_over();
  rt.wait();
  rt.start_trace();  // the program's own, which the recording goes through
  hand_over();
  rt.wait();
  static_cast<void>(rt.stop_trace());
  MPI_Barrier(MPI_COMM_WORLD);
  // The long message waits for its receive, and so the short one behind completes before it.
  const auto send = [right](const char* first, std::size_t size) {
    MPI_Send(first, static_cast<int>(size), MPI_CHAR, right, 5, MPI_COMM_WORLD);
  };
  rt.task(
        "long", [send](const std::vector<char>& from) { send(from.data(), from.size()); },
        in(long_one))
      .priority(plait::high);
  rt.task(
        "short", [send](const char& from) { send(&from, 1); }, in(short_one))
      .priority(plait::high);
  rt.task(
        "both",
        [left](std::vector<char>& to) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          for (int i = 0; i < 2; ++i)
            MPI_Recv(to.data(), static_cast<int>(to.size()), MPI_CHAR, left, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        },
        out(come))
      .priority(plait::high);
  rt.task(
      "parent", [&rt](int& x) { rt.task("child", add_one, inout(x)); }, inout(sum));
}

using plait::recorded_kind;
using plait::recording;

[[nodiscard]] std::string name_of(const recording& of, const plait::recorded_item& item) {
  return of.names[item.name];
}

const std::set<std::string> blocking{"hand over", "long", "short", "both"};

/// Every task has run once, every message took place, in each iteration.
void check_rank(const recording& mine, int rank, int ranks) {
  expect(mine.is_whole, "it is not whole");
  expect(mine.rank == static_cast<unsigned>(rank) && mine.ranks == static_cast<unsigned>(ranks),
         "rank and ranks");
  expect(mine.workers == 2 && mine.cores >= 1 && !mine.policy.empty() && !mine.host.empty(),
         "workers, cores, policy, host");
  std::multiset<std::uint64_t> runs;
  std::set<std::uint64_t> messages;
  for (const auto& run : mine.runs) {
    runs.insert(run.id);
    expect(run.begin_ns + run.took_ns <= mine.wall_ns, "a task after the end");
  }
  for (const auto& one : mine.messages) messages.insert(one.id);
  std::map<std::string, int> counted;
  std::set<std::uint64_t> tasks;
  std::map<std::uint64_t, bool> on_windows;  // by id: whether the rank has sent
  for (const auto& one : mine.messages)
    if (one.what == plait::recorded_message::kind::one_sided) on_windows[one.id] = one.sent;
  const auto check = [&](const plait::recorded_item& item, std::uint64_t id) {
    if (item.kind == recorded_kind::program) return;
    const std::string name = name_of(mine, item);
    ++counted[name];
    if (item.kind == recorded_kind::task) {
      const bool blocks = blocking.contains(name);  // and may run in pieces
      expect(runs.count(id) == 1 || (blocks && runs.count(id) > 1),
             name + " ran " + std::to_string(runs.count(id)) + " times");
      expect(item.priority == (blocks ? 0 : 1) || name == "wait_on" || name == "rim",
             name + " has another priority");
      expect(blocks == (messages.count(id) == 1), name + ": messages of a task");
      tasks.insert(id);
    } else if (name == "read" || name == "write" || name == "written") {
      expect(on_windows.contains(id) && on_windows[id] == (name == "write"), name + " was sent");
    } else if (name == "edge" || name == "ghost") {
      expect(messages.count(id) == 1, name + " did not take place");
    }
  };
  for (const plait::recorded_part& part : mine.parts) {
    for (const auto& item : part.items) check(item, item.id);
    for (std::uint64_t i = 0; i < part.iterations; ++i) {
      for (std::size_t t = 0; t < part.repeated.size(); ++t)
        check(part.repeated[t], part.first_id + i * part.repeated.size() + t);
    }
  }
  const int times = rounds + static_cast<int>(iterations);
  for (const char* name : {"edge", "ghost", "rim"}) {
    expect(counted[name] == times, std::string(name) + " " + std::to_string(counted[name]));
  }
  expect(counted["parent"] == 1 && counted["child"] == 1, "a task and what it submitted");
  const std::set<std::uint64_t> ran(runs.begin(), runs.end());
  for (const std::string& name : blocking)
    expect(counted[name] == (name == "hand over" ? 2 : 1), name + ": how often");
  const std::vector<std::string> unseen(ranks > 1 ? 1 : 0, "collectives of the program itself");
  expect(mine.unseen_calls == unseen, "calls that are not recorded");
  expect(tasks.size() == ran.size(), "runs of tasks that nobody has submitted");
}

/// A message that was sent was received, on the same communicator at the same place.
void check_messages(const std::string& folder, int ranks) {
  using key = std::tuple<unsigned, unsigned, unsigned, int, std::uint64_t, std::uint64_t>;
  std::map<key, int> open;
  std::set<key> sent;
  std::size_t of_collectives = 0;
  for (int r = 0; r < ranks; ++r) {
    const std::string path = folder + "/" + plait::recording_file(static_cast<unsigned>(r));
    const recording one = plait::unpack_recording(plait::read_text_file(path), path);
    for (const auto& m : one.messages) {
      if (m.what == plait::recorded_message::kind::one_sided) continue;
      const unsigned from = m.sent ? one.rank : m.peer;
      const unsigned to = m.sent ? m.peer : one.rank;
      const key one_of{m.communicator, from, to, m.tag, m.place, m.size_bytes};
      open[one_of] += m.sent ? 1 : -1;
      if (m.sent) expect(sent.insert(one_of).second, "two messages at one place");
      of_collectives += m.called != 0 ? 1 : 0;
    }
  }
  for (const auto& [_, balance] : open) expect(balance == 0, "a message with one side");
  expect(ranks == 1 || of_collectives > 0, "no message of the collective");
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string folder = argv[1];
  setenv("PLAIT_RECORD", folder.c_str(), 1);
  {
    plait::environment env{argc, argv};
    run(env);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  try {
    const std::string path = folder + "/" + plait::recording_file(static_cast<unsigned>(rank));
    check_rank(plait::unpack_recording(plait::read_text_file(path), path), rank, ranks);
    if (rank == 0) check_messages(folder, ranks);
  } catch (const plait::error& e) {
    expect(false, e.what());
  }
  int all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all_wrong == 0) std::puts("the recording is whole");
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
