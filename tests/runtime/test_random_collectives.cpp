// SPDX-License-Identifier: BSD-3-Clause
// Random collectives of every kind, by every algorithm and by the MPI library, in place and not, on
// the world and communicators that overlap, a thousand in flight and ready in another order on
// every rank; each held against MPI's blocking one.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/runtime/runtime.hpp>

#include "collective_blocks.hpp"
#include "collective_ways.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using what = collective::operation;

/// One group of ranks, as a communicator of plait's and one of MPI's.
struct group {
  communicator ours;
  MPI_Comm twin = MPI_COMM_NULL;
};

class groups {
 public:
  explicit groups(environment& env) : env_(env), all_{{env.world(), native(env)}} {
    const int rank = env.rank();
    const int columns = std::max(1, env.size() / 2);
    add("row", rank / columns, 0);
    add("column", rank % columns, 0);
    add("backwards", 0, -rank);
    add("odd", rank % 2 == 1 ? std::optional(0) : std::nullopt, 0);
    add("pair of the row", rank % 2, -rank, all_[1].ours, all_[1].twin);
    add("half", 2 * rank / env.size(), 0);
    add("parity", rank % 2, 0);
    adopt_own("adopted", rank % 3 == 0 ? 0 : 1, 5 * rank % 7);
  }
  ~groups() {
    for (std::size_t i = 1; i < all_.size(); ++i) {
      if (all_[i].twin != MPI_COMM_NULL) MPI_Comm_free(&all_[i].twin);
    }
  }
  groups(const groups&) = delete;
  groups& operator=(const groups&) = delete;

  [[nodiscard]] const group& operator[](std::size_t i) const { return all_[i]; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  void add(const char* name, std::optional<int> colour, int key) {
    add(name, colour, key, env_.world(), native(env_));
  }
  void add(const char* name, std::optional<int> colour, int key, const communicator& parent,
           MPI_Comm twin_parent) {
    group made{parent.split(name, colour, key)};
    MPI_Comm_split(twin_parent, colour.value_or(MPI_UNDEFINED), key, &made.twin);
    all_.push_back(made);
  }

  /// Made by the program, not by plait.
  void adopt_own(const char* name, int colour, int key) {
    group made;
    MPI_Comm_split(native(env_), colour, key, &made.twin);
    made.ours = adopt(env_, made.twin, name);
    all_.push_back(made);
  }

  environment& env_;
  std::vector<group> all_;
};

std::vector<block> equal_parts(std::size_t parts, std::size_t count) {
  return collective::packed(std::vector<std::size_t>(parts, count));
}

bool has_root(what op) {
  return op == what::bcast || collective::only_root_is_in_place(op);
}
bool has_place(what op) {
  return !is_neighbourly(op) && op != what::barrier && op != what::bcast;
}

/// One call, as one rank of its communicator sees it.
struct job {
  std::size_t number;
  std::size_t where;  ///< among the groups
  what op = what::barrier;
  collective_options options = {};
  bool in_place = false;
  int root = 0;
  int rank = 0;
  int ranks = 1;
  std::size_t count = 0;  ///< of vectors and equal parts
  layout sent{std::vector<block>{}};
  layout received{std::vector<block>{}};
  neighbourhood around = {};
  ints x = {};       ///< what is sent
  ints y = {};       ///< what is received, or in place both
  ints source = {};  ///< what a task puts into x, or in place into y

  [[nodiscard]] bool is_root() const { return rank == root; }
  /// In place, and this rank gives one buffer only.
  [[nodiscard]] bool one_buffer() const {
    return in_place && (!collective::only_root_is_in_place(op) || is_root());
  }
  [[nodiscard]] bool scatters() const { return op == what::scatter || op == what::scatterv; }
  [[nodiscard]] ints& input() { return op == what::bcast || (one_buffer() && !scatters()) ? y : x; }
  [[nodiscard]] std::string text() const {
    return "call " + std::to_string(number) + ": " + std::string(to_string(op)) + " by " +
           name_of(options) + (in_place ? " in place" : "") + ", root " + std::to_string(root) +
           ", on group " + std::to_string(where) + " of " + std::to_string(ranks) + " ranks, " +
           std::to_string(count) + " elements";
  }
};

/// The sizes of the two buffers of a call that is not in place.
void lay_out(job& j, std::mt19937& same, std::mt19937& mine) {
  const auto ranks = static_cast<std::size_t>(j.ranks);
  const auto own = static_cast<std::size_t>(j.rank);
  j.count = random_count(same);
  std::vector<std::size_t> counts(ranks);
  for (std::size_t& count : counts) count = random_count(same);
  std::vector<std::vector<std::size_t>> pairs(ranks, std::vector<std::size_t>(ranks));
  for (std::size_t a = 0; a < ranks; ++a) {
    for (std::size_t b = 0; b < ranks; ++b) {
      pairs[a][b] = random_count(same) % 300;
      if (j.in_place && b < a) pairs[a][b] = pairs[b][a];
    }
  }
  std::vector<int> offsets(same() % 4);
  for (int& offset : offsets) offset = static_cast<int>(same() % ranks);
  if (is_neighbourly(j.op)) {
    for (const int offset : offsets) {
      j.around.destinations.push_back((j.rank + offset) % j.ranks);
      j.around.sources.push_back((j.rank - offset + j.ranks) % j.ranks);
    }
  }
  const layout equal(equal_parts(ranks, j.count));
  std::vector<std::size_t> to;
  std::vector<std::size_t> from;
  switch (j.op) {
    case what::barrier:
    case what::bcast:
    case what::reduce:
    case what::allreduce:
    case what::scan:
    case what::exscan:
      break;
    case what::gather:
      j.received = equal;
      break;
    case what::scatter:
      j.sent = equal;
      break;
    case what::allgather:
      j.received = equal;
      break;
    case what::alltoall:
      j.sent = j.received = equal;
      break;
    case what::reduce_scatter_block:
      j.sent = equal;
      break;
    case what::gatherv:
    case what::allgatherv:
      j.received = layout(counts, mine);
      j.count = counts[own];
      break;
    case what::scatterv:
      j.sent = layout(counts, mine);
      j.count = counts[own];
      break;
    case what::reduce_scatter:
      j.sent = layout(collective::packed(counts));
      j.count = counts[own];
      break;
    case what::alltoallv:
      for (std::size_t r = 0; r < ranks; ++r) from.push_back(pairs[r][own]);
      j.sent = layout(pairs[own], mine);
      j.received = layout(from, mine);
      if (j.in_place) j.sent = j.received;
      break;
    case what::neighbour_allgather:
      j.received = layout(equal_parts(offsets.size(), j.count));
      break;
    case what::neighbour_alltoall:
      j.sent = j.received = layout(equal_parts(offsets.size(), j.count));
      break;
    case what::neighbour_allgatherv:
      for (const int source : j.around.sources)
        from.push_back(counts[static_cast<std::size_t>(source)]);
      j.received = layout(from, mine);
      j.count = counts[own];
      break;
    case what::neighbour_alltoallv:
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        to.push_back(pairs[own][i % ranks]);
        from.push_back(pairs[static_cast<std::size_t>(j.around.sources[i])][i % ranks]);
      }
      j.sent = layout(to, mine);
      j.received = layout(from, mine);
      break;
  }
}

void allocate(job& j) {
  const bool blocks_sent = j.scatters() || j.op == what::alltoall || j.op == what::alltoallv ||
                           j.op == what::reduce_scatter || j.op == what::reduce_scatter_block ||
                           j.op == what::neighbour_alltoall || j.op == what::neighbour_alltoallv;
  const bool blocks_received = !j.received.blocks.empty() || is_neighbourly(j.op);
  std::size_t sent = blocks_sent ? j.sent.size : j.count;
  std::size_t received = blocks_received ? j.received.size : j.count;
  if (j.scatters() && !j.is_root()) sent = 0;
  if ((j.op == what::gather || j.op == what::gatherv || j.op == what::reduce) && !j.is_root())
    received = 0;
  if (j.op == what::barrier) sent = received = 0;
  if (j.op == what::bcast) sent = 0;
  if (j.one_buffer()) {
    if (j.scatters()) {
      received = 0;
    } else {
      received = std::max(received, blocks_sent ? sent : 0);
      sent = 0;
    }
  }
  j.x = empty_ints(sent);
  j.y = empty_ints(received);
  j.source = values(j.rank, j.input().size(), static_cast<int>(j.number));
}

void submit(runtime& rt, job& j) {
  const auto sends = [&] { return j.is_root() ? j.sent.blocks : std::vector<block>{}; };
  const auto receives = [&] { return j.is_root() ? j.received.blocks : std::vector<block>{}; };
  const bool one = j.one_buffer();
  const auto& o = j.options;
  switch (j.op) {
    case what::barrier:
      return rt.barrier("barrier", inout(j.y), o);
    case what::bcast:
      return rt.bcast("bcast", inout(j.y), j.root, o);
    case what::reduce:
      return one ? rt.reduce("reduce", inout(j.y), j.root, sum{}, o)
                 : rt.reduce("reduce", in(j.x), out(j.y), j.root, sum{}, o);
    case what::allreduce:
      return one ? rt.allreduce("allreduce", inout(j.y), sum{}, o)
                 : rt.allreduce("allreduce", in(j.x), out(j.y), sum{}, o);
    case what::scan:
      return one ? rt.scan("scan", inout(j.y), sum{}, o)
                 : rt.scan("scan", in(j.x), out(j.y), sum{}, o);
    case what::exscan:
      return one ? rt.exscan("exscan", inout(j.y), sum{}, o)
                 : rt.exscan("exscan", in(j.x), out(j.y), sum{}, o);
    case what::gather:
      return one ? rt.gather("gather", inout(j.y), j.root, o)
                 : rt.gather("gather", in(j.x), out(j.y), j.root, o);
    case what::gatherv:
      return one ? rt.gatherv("gatherv", inout(j.y), j.received.blocks, j.root, o)
                 : rt.gatherv("gatherv", in(j.x), out(j.y), receives(), j.root, o);
    case what::scatter:
      return one ? rt.scatter("scatter", in(j.x), j.root, o)
                 : rt.scatter("scatter", in(j.x), out(j.y), j.root, o);
    case what::scatterv:
      return one ? rt.scatterv("scatterv", in(j.x), j.sent.blocks, j.root, o)
                 : rt.scatterv("scatterv", in(j.x), sends(), out(j.y), j.root, o);
    case what::allgather:
      return one ? rt.allgather("allgather", inout(j.y), o)
                 : rt.allgather("allgather", in(j.x), out(j.y), o);
    case what::allgatherv:
      return one ? rt.allgatherv("allgatherv", inout(j.y), j.received.blocks, o)
                 : rt.allgatherv("allgatherv", in(j.x), out(j.y), j.received.blocks, o);
    case what::alltoall:
      return one ? rt.alltoall("alltoall", inout(j.y), o)
                 : rt.alltoall("alltoall", in(j.x), out(j.y), o);
    case what::alltoallv:
      return one ? rt.alltoallv("alltoallv", inout(j.y), j.received.blocks, o)
                 : rt.alltoallv("alltoallv", in(j.x), j.sent.blocks, out(j.y), j.received.blocks,
                                o);
    case what::reduce_scatter_block:
      return one ? rt.reduce_scatter_block("reduce_scatter_block", inout(j.y), sum{}, o)
                 : rt.reduce_scatter_block("reduce_scatter_block", in(j.x), out(j.y), sum{}, o);
    case what::reduce_scatter:
      return one ? rt.reduce_scatter("reduce_scatter", inout(j.y), j.sent.blocks, sum{}, o)
                 : rt.reduce_scatter("reduce_scatter", in(j.x), j.sent.blocks, out(j.y), sum{}, o);
    case what::neighbour_allgather:
      return rt.neighbour_allgather("halo", in(j.x), out(j.y), j.around, o);
    case what::neighbour_allgatherv:
      return rt.neighbour_allgatherv("halo", in(j.x), out(j.y), j.received.blocks, j.around, o);
    case what::neighbour_alltoall:
      return rt.neighbour_alltoall("halo", in(j.x), out(j.y), j.around, o);
    case what::neighbour_alltoallv:
      return rt.neighbour_alltoallv("halo", in(j.x), j.sent.blocks, out(j.y), j.received.blocks,
                                    j.around, o);
  }
}

/// Returns the elements that this rank contributes: x where the call is not in place.
ints contribution(const job& j) {
  if (!j.one_buffer() || j.scatters()) return j.source;
  if (j.received.blocks.empty() || j.op == what::alltoall || j.op == what::alltoallv) {
    return j.source;  // the whole buffer
  }
  const block own = j.received.blocks[static_cast<std::size_t>(j.rank)];
  ints part = empty_ints(own.count);
  std::copy_n(j.source.begin() + static_cast<std::ptrdiff_t>(own.displacement), own.count,
              part.begin());
  return part;
}

/// Returns the elements that y must hold at the end, by MPI's blocking call that is not in place.
ints expected_result(const job& j, MPI_Comm comm) {
  const ints x = contribution(j);
  const bool from_y = j.one_buffer() && !j.scatters();
  ints y = empty_ints(std::max(j.y.size(), j.count));
  const ints& before = from_y || j.op == what::bcast ? j.source : empty_ints(j.y.size());
  std::ranges::copy(before, y.begin());
  const ints kept = y;
  const int n = as_int(j.count);
  const MPI_Datatype type = MPI_INT32_T;
  std::vector<MPI_Request> requests;
  switch (j.op) {
    case what::barrier:
      break;
    case what::bcast:
      MPI_Bcast(y.data(), n, type, j.root, comm);
      break;
    case what::reduce:
      MPI_Reduce(x.data(), y.data(), n, type, MPI_SUM, j.root, comm);
      break;
    case what::allreduce:
      MPI_Allreduce(x.data(), y.data(), n, type, MPI_SUM, comm);
      break;
    case what::scan:
      MPI_Scan(x.data(), y.data(), n, type, MPI_SUM, comm);
      break;
    case what::exscan:
      MPI_Exscan(x.data(), y.data(), n, type, MPI_SUM, comm);
      if (j.rank == 0) y = kept;  // MPI leaves it open what it has there
      break;
    case what::gather:
    case what::gatherv:
      MPI_Gatherv(x.data(), n, type, y.data(), j.received.counts.data(),
                  j.received.displacements.data(), type, j.root, comm);
      break;
    case what::scatter:
    case what::scatterv:
      MPI_Scatterv(x.data(), j.sent.counts.data(), j.sent.displacements.data(), type, y.data(), n,
                   type, j.root, comm);
      break;
    case what::allgather:
    case what::allgatherv:
      MPI_Allgatherv(x.data(), n, type, y.data(), j.received.counts.data(),
                     j.received.displacements.data(), type, comm);
      break;
    case what::alltoall:
    case what::alltoallv:
      MPI_Alltoallv(x.data(), j.sent.counts.data(), j.sent.displacements.data(), type, y.data(),
                    j.received.counts.data(), j.received.displacements.data(), type, comm);
      break;
    case what::reduce_scatter_block:
    case what::reduce_scatter:
      MPI_Reduce_scatter(x.data(), y.data(), j.sent.counts.data(), type, MPI_SUM, comm);
      break;
    default:  // by the equivalent code of the standard; see test_vector_collectives
      for (std::size_t i = 0; i < j.around.destinations.size(); ++i) {
        const bool parts = !j.sent.blocks.empty();
        MPI_Isend(x.data() + (parts ? j.sent.displacements[i] : 0), parts ? j.sent.counts[i] : n,
                  type, j.around.destinations[i], 0, comm, &requests.emplace_back());
        MPI_Irecv(y.data() + j.received.displacements[i], j.received.counts[i], type,
                  j.around.sources[i], 0, comm, &requests.emplace_back());
      }
      MPI_Waitall(as_int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  y.resize(j.y.size());
  return y;
}

/// How many are in flight at once: as many as make a thousand on every rank, whatever it is in.
std::size_t calls_at_once() {
  const char* const text = std::getenv("PLAIT_TEST_COLLECTIVES");
  return text != nullptr ? static_cast<std::size_t>(std::atoi(text)) : 1200;
}

/// Calls that this rank takes part in, by number, with buffers for all of them.
std::vector<job> random_jobs(const groups& all, unsigned seed, std::size_t count) {
  std::mt19937 mine(seed * 1000 + static_cast<unsigned>(test_environment().rank()));
  std::vector<job> jobs;
  jobs.reserve(count);  // tasks name what is in them
  for (std::size_t i = 0; i < count; ++i) {
    std::mt19937 same(seed * 77777 + static_cast<unsigned>(i));  // on every rank
    const std::size_t where = same() % all.size();
    if (all[where].ours.size() == 0) continue;
    job& j = jobs.emplace_back(job{.number = i, .where = where});
    j.op = collective::all_operations[same() % collective::all_operations.size()];
    const auto ways = ways_of(j.op);
    j.options = ways[same() % ways.size()];
    j.options.among = all[where].ours;
    j.in_place = same() % 2 == 0 && has_place(j.op);
    j.rank = j.options.among.rank();
    j.ranks = j.options.among.size();
    j.root = has_root(j.op) ? static_cast<int>(same() % static_cast<unsigned>(j.ranks)) : 0;
    lay_out(j, same, mine);
    allocate(j);
  }
  return jobs;
}

/// The input is there after `spin` rounds of work, once the gate is open.
void produce(runtime& rt, job& j, const int& gate, unsigned spin) {
  rt.task(
      "produce",
      [](ints& to, const ints& from, const int&, unsigned rounds) {
        for (std::atomic<unsigned> k = 0; k < rounds; ++k) continue;
        std::ranges::copy(from, to.begin());
      },
      out(j.input()), in(j.source), in(gate), spin);
}

void expect_right(const groups& all, std::vector<job>& jobs) {
  for (job& j : jobs) {
    ASSERT_EQ(j.y, expected_result(j, all[j.where].twin)) << j.text();
    const bool has_x = &j.input() == &j.x;
    ASSERT_EQ(j.x, has_x ? j.source : ints()) << j.text() << ": what is sent does not change";
  }
}

struct random_collectives : ::testing::Test {
  environment& env = test_environment();
  const groups all{env};
  std::mt19937 mine{static_cast<unsigned>(env.rank())};
  const disturbance disturb{.seed = 1, .probability = 0.05, .longest_delay_s = 1e-3};
};

TEST_F(random_collectives, as_they_are_submitted_equal_their_blocking_twins) {
  std::vector<job> jobs = random_jobs(all, 1, calls_at_once() / 3);
  const int gate = 0;
  runtime rt{env, {.workers = 2, .disturb = disturb}};
  for (job& j : jobs) {
    produce(rt, j, gate, static_cast<unsigned>(mine() % 2000));
    submit(rt, j);
  }
  rt.wait();
  expect_right(all, jobs);
}

// None begins before this rank has submitted all of them; then their inputs come in an order of its
// own.  Every rank submits the calls on one communicator in their order, and those on different
// ones as it likes.
TEST_F(random_collectives, a_thousand_in_flight_at_once_equal_their_blocking_twins) {
  std::vector<job> jobs = random_jobs(all, 2, calls_at_once());
  int gate = 0;
  const int open = 1;
  constexpr std::size_t for_all = std::size_t{1} << 18;  // else submission would wait for the gate
  runtime rt{env, {.workers = 2, .in_flight = for_all, .disturb = disturb}};
  rt.recv("gate", out(gate), env.rank(), 0);
  std::vector<job*> ready;
  for (job& j : jobs) ready.push_back(&j);
  std::ranges::shuffle(ready, mine);
  for (job* j : ready) produce(rt, *j, gate, static_cast<unsigned>(mine() % 200));
  std::vector<std::deque<job*>> left(all.size());
  for (job& j : jobs) left[j.where].push_back(&j);
  for (std::size_t i = 0; i < jobs.size();) {
    auto& on_one = left[mine() % left.size()];
    if (on_one.empty()) continue;
    submit(rt, *on_one.front());
    on_one.pop_front();
    ++i;
  }
  rt.send("gate", in(open), env.rank(), 0);
  rt.wait();
  expect_right(all, jobs);
}

}  // namespace
}  // namespace plait::test
