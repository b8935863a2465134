// SPDX-License-Identifier: BSD-3-Clause
// Collective operations as tasks, held against MPI's blocking ones.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "collective_ways.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using collective::algorithm;
using collective::algorithms_of;
using ints = std::vector<std::int32_t>;
using collective_kind = collective::operation;

struct one_way {
  collective_kind what;
  collective_options options;
};

std::vector<one_way> all_of(std::initializer_list<collective_kind> kinds) {
  std::vector<one_way> all;
  for (const collective_kind what : kinds) {
    for (const collective_options& options : ways_of(what)) all.push_back({what, options});
  }
  return all;
}

std::string name_of_test(const ::testing::TestParamInfo<one_way>& info) {
  return std::string(to_string(info.param.what)) + "_" + name_of(info.param.options);
}

ints values(int rank, std::size_t count, std::uint32_t salt) {
  ints result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = static_cast<std::int32_t>((static_cast<std::uint32_t>(rank + 1) * 7919U +
                                           static_cast<std::uint32_t>(i) * 104729U + salt) %
                                          1'000'003U);
  }
  return result;
}

class every_way : public ::testing::TestWithParam<one_way> {
 protected:
  environment& env = test_environment();
  const int rank = env.rank();
  const int ranks = env.size();
  const std::size_t ranks_u = static_cast<std::size_t>(ranks);
  const collective_options options = GetParam().options;
  static constexpr std::size_t counts[] = {0, 1, 2, 7, 64, 1000, 20'000};
};

class rootless : public every_way {};
class rooted : public every_way {};
INSTANTIATE_TEST_SUITE_P(
    collectives, rootless,
    ::testing::ValuesIn(all_of({collective_kind::allreduce, collective_kind::scan,
                                collective_kind::exscan, collective_kind::allgather,
                                collective_kind::alltoall, collective_kind::reduce_scatter_block})),
    name_of_test);
INSTANTIATE_TEST_SUITE_P(
    collectives, rooted,
    ::testing::ValuesIn(all_of({collective_kind::bcast, collective_kind::reduce,
                                collective_kind::gather, collective_kind::scatter})),
    name_of_test);

constexpr std::int32_t untouched = -77;

/// Elements sent and received for blocks of `count` elements.
struct lengths {
  std::size_t send;
  std::size_t receive;
};

lengths lengths_of(collective_kind what, std::size_t count, std::size_t ranks) {
  switch (what) {
    case collective_kind::allgather:
    case collective_kind::gather:
      return {count, count * ranks};
    case collective_kind::alltoall:
      return {count * ranks, count * ranks};
    case collective_kind::reduce_scatter_block:
    case collective_kind::scatter:
      return {count * ranks, count};
    default:
      return {count, count};
  }
}

void submit(runtime& rt, collective_kind what, const ints& x, ints& y, int root,
            const collective_options& options) {
  switch (what) {
    case collective_kind::allreduce:
      return rt.allreduce("allreduce", in(x), out(y), sum{}, options);
    case collective_kind::scan:
      return rt.scan("scan", in(x), out(y), sum{}, options);
    case collective_kind::exscan:
      return rt.exscan("exscan", in(x), out(y), sum{}, options);
    case collective_kind::allgather:
      return rt.allgather("allgather", in(x), out(y), options);
    case collective_kind::alltoall:
      return rt.alltoall("alltoall", in(x), out(y), options);
    case collective_kind::reduce_scatter_block:
      return rt.reduce_scatter_block("reduce_scatter_block", in(x), out(y), sum{}, options);
    case collective_kind::reduce:
      return rt.reduce("reduce", in(x), out(y), root, sum{}, options);
    case collective_kind::gather:
      return rt.gather("gather", in(x), out(y), root, options);
    case collective_kind::scatter:
      return rt.scatter("scatter", in(x), out(y), root, options);
    default:
      FAIL() << "not here";
  }
}

void call_mpi(collective_kind what, const ints& x, ints& y, int count, int root, environment& env) {
  mpi_token_guard guard(env.token());
  const MPI_Comm comm = native(env);
  const auto type = MPI_INT32_T;
  switch (what) {
    case collective_kind::allreduce:
      MPI_Allreduce(x.data(), y.data(), count, type, MPI_SUM, comm);
      return;
    case collective_kind::scan:
      MPI_Scan(x.data(), y.data(), count, type, MPI_SUM, comm);
      return;
    case collective_kind::exscan:
      MPI_Exscan(x.data(), y.data(), count, type, MPI_SUM, comm);
      return;
    case collective_kind::allgather:
      MPI_Allgather(x.data(), count, type, y.data(), count, type, comm);
      return;
    case collective_kind::alltoall:
      MPI_Alltoall(x.data(), count, type, y.data(), count, type, comm);
      return;
    case collective_kind::reduce_scatter_block:
      MPI_Reduce_scatter_block(x.data(), y.data(), count, type, MPI_SUM, comm);
      return;
    case collective_kind::reduce:
      MPI_Reduce(x.data(), y.data(), count, type, MPI_SUM, root, comm);
      return;
    case collective_kind::gather:
      MPI_Gather(x.data(), count, type, y.data(), count, type, root, comm);
      return;
    case collective_kind::scatter:
      MPI_Scatter(x.data(), count, type, y.data(), count, type, root, comm);
      return;
    default:
      FAIL() << "not here";
  }
}

TEST_P(rootless, equals_its_blocking_twin) {
  const collective_kind what = GetParam().what;
  runtime rt{env, {.tasks = {.workers = 2}}};
  for (const std::size_t count : counts) {
    const auto [send, receive] = lengths_of(what, count, ranks_u);
    const ints x = values(rank, send, 1);
    ints y(receive, untouched);
    ints expected = y;
    submit(rt, what, x, y, 0, options);
    rt.wait();
    call_mpi(what, x, expected, static_cast<int>(count), 0, env);
    if (what == collective_kind::exscan && rank == 0) {
      expected.assign(receive, untouched);  // MPI leaves it open what it has there
    }
    EXPECT_EQ(y, expected) << count << " elements";
  }
}

TEST_P(rooted, equals_its_blocking_twin_for_every_root) {
  const collective_kind what = GetParam().what;
  runtime rt{env, {.tasks = {.workers = 2}}};
  for (int root = 0; root < ranks; ++root) {
    for (const std::size_t count : counts) {
      if (what == collective_kind::bcast) {
        ints x = values(rank, count, 3);
        rt.bcast("bcast", inout(x), root, options);
        rt.wait();
        EXPECT_EQ(x, values(root, count, 3)) << count << " elements from " << root;
        continue;
      }
      const bool is_root = rank == root;
      auto [send, receive] = lengths_of(what, count, ranks_u);
      if (!is_root && what == collective_kind::scatter) send = 0;
      const ints x = values(rank, send, 5);
      ints y(receive, untouched);
      ints expected = y;
      submit(rt, what, x, y, root, options);
      rt.wait();
      call_mpi(what, x, expected, static_cast<int>(count), root, env);
      EXPECT_EQ(y, expected) << count << " elements, root " << root;
    }
  }
}

/// Of 2 x 2 matrices modulo 251: associative, not commutative.
struct matrix {
  std::array<std::uint8_t, 4> m{};
  friend bool operator==(const matrix&, const matrix&) = default;
};
struct product_of_matrices {
  matrix operator()(const matrix& l, const matrix& r) const {
    const auto cell = [&](int row, int column) {
      return static_cast<std::uint8_t>(
          (l.m[static_cast<std::size_t>(2 * row)] * r.m[static_cast<std::size_t>(column)] +
           l.m[static_cast<std::size_t>(2 * row + 1)] * r.m[static_cast<std::size_t>(2 + column)]) %
          251);
    };
    return {{cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)}};
  }
};

matrix matrix_of(int rank, int i) {
  const auto at = [&](int k) {
    return static_cast<std::uint8_t>((rank * 31 + i * 17 + k * 7) % 251);
  };
  return {{at(1), at(2), at(3), at(5)}};
}

TEST(collectives, operations_that_do_not_commute_are_combined_in_the_order_of_ranks) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 2}}};
  constexpr int count = 33;
  std::vector<matrix> x;
  std::vector<matrix> expected;
  for (int i = 0; i < count; ++i) {
    x.push_back(matrix_of(env.rank(), i));
    matrix all = matrix_of(0, i);
    for (int r = 1; r < env.size(); ++r) all = product_of_matrices{}(all, matrix_of(r, i));
    expected.push_back(all);
  }
  for (collective_options options : ways_of(collective_kind::allreduce)) {
    std::vector<matrix> y(count);
    options.commutative = false;
    if (options.algorithm && !keeps_order(collective_kind::allreduce, *options.algorithm)) {
      EXPECT_THROW(rt.allreduce("product", in(x), out(y), product_of_matrices{}, options),
                   usage_error);
      continue;
    }
    rt.allreduce("product", in(x), out(y), product_of_matrices{}, options);
    rt.wait();
    EXPECT_EQ(y, expected) << name_of(options);
  }
}

/// Division of many instances between the library and plait's schedules.
struct mixture {
  const char* name;
  std::size_t instances;
  bool (*by_library)(std::size_t instance);
};

class many_at_once : public ::testing::TestWithParam<mixture> {};
INSTANTIATE_TEST_SUITE_P(
    collectives, many_at_once,
    ::testing::Values(mixture{"of_ours", 1000, [](std::size_t) { return false; }},
                      mixture{"of_the_library", 200, [](std::size_t) { return true; }},
                      mixture{"of_both", 400, [](std::size_t i) { return i % 7 < 3; }}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(many_at_once, become_ready_in_another_order_on_every_rank) {
  environment& env = test_environment();
  const std::size_t instances = GetParam().instances;
  const auto ranks = static_cast<std::size_t>(env.size());
  runtime rt{env,
             {.engine = {.disturb = {.seed = 7, .probability = 0.05, .longest_delay_s = 1e-3}},
              .tasks = {.workers = 2}}};
  std::mt19937 random(static_cast<unsigned>(env.rank()) + 5);
  struct instance {
    ints x;
    ints y;
    int spin = 0;
  };
  std::vector<instance> all(instances);
  for (std::size_t i = 0; i < instances; ++i) {
    instance& one = all[i];
    const std::size_t count = i % 5;
    one.x.assign(count * ranks, 0);
    one.y.assign(count * ranks, untouched);
    one.spin = static_cast<int>(random() % 2000);  // they become ready in another order everywhere
    rt.task(
        "produce",
        [](std::span<std::int32_t> x, int spin, int rank, std::uint32_t salt) {
          for (std::atomic<int> k = 0; k < spin; ++k) continue;
          std::ranges::copy(values(rank, x.size(), salt), x.begin());
        },
        out(std::span(one.x)), one.spin, env.rank(), static_cast<std::uint32_t>(i));
    const collective_options options =
        GetParam().by_library(i) ? by_library() : collective_options{};
    switch (i % 3) {
      case 0:
        rt.alltoall("alltoall", in(one.x), out(one.y), options);
        break;
      case 1:
        rt.allreduce("allreduce", in(one.x), out(one.y), sum{}, options);
        break;
      default:
        rt.bcast("bcast", inout(one.x), static_cast<int>(i % ranks), options);
        break;
    }
  }
  rt.wait();
  for (std::size_t i = 0; i < instances; ++i) {
    const instance& one = all[i];
    const std::size_t count = i % 5;
    const auto salt = static_cast<std::uint32_t>(i);
    ints expected(count * ranks, 0);
    if (i % 3 == 0) {
      for (std::size_t r = 0; r < ranks; ++r) {
        const ints theirs = values(static_cast<int>(r), count * ranks, salt);
        for (std::size_t k = 0; k < count; ++k)
          expected[r * count + k] = theirs[static_cast<std::size_t>(env.rank()) * count + k];
      }
      ASSERT_EQ(one.y, expected) << "alltoall " << i;
    } else if (i % 3 == 1) {
      for (std::size_t r = 0; r < ranks; ++r) {
        const ints theirs = values(static_cast<int>(r), count * ranks, salt);
        for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += theirs[k];
      }
      ASSERT_EQ(one.y, expected) << "allreduce " << i;
    } else {
      ASSERT_EQ(one.x, values(static_cast<int>(i % ranks), count * ranks, salt)) << "bcast " << i;
    }
  }
}

TEST(collectives, what_needs_one_slice_does_not_wait_for_the_others) {
  environment& env = test_environment();
  if (env.size() < 3) return;
  // Rank 1 lets the last rank begin once it has rank 0's slice.
  const int last = env.size() - 1;
  const auto ranks = static_cast<std::size_t>(env.size());
  ints x(ranks, env.rank());
  ints y(ranks, untouched);
  std::int32_t go = untouched;
  runtime rt{env, {.tasks = {.workers = 1}}};
  if (env.rank() == last) {
    rt.recv("go", out(go), 1);
    rt.task(
        "produce",
        [](std::int32_t value, std::span<std::int32_t> all) { std::ranges::fill(all, value); },
        in(go), out(std::span(x)));
  }
  rt.alltoall("alltoall", in(x), out(y));
  if (env.rank() == 1) {
    rt.task(
        "consume", [](std::int32_t slice, std::int32_t& to) { to = slice + 42; }, in(y[0]),
        out(go));
    rt.send("go", in(go), last);
  }
  rt.wait();
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[static_cast<std::size_t>(last)], 42) << "its x was what rank 1 has sent";
}

class every_back_end : public ::testing::TestWithParam<collective::back_end> {
 protected:
  environment& env = test_environment();
  const collective_options options{.back_end = GetParam()};
};
INSTANTIATE_TEST_SUITE_P(
    collectives, every_back_end,
    ::testing::Values(collective::back_end::schedules, collective::back_end::library),
    [](const auto& one) {
      return std::string(one.param == collective::back_end::library ? "library" : "schedules");
    });

TEST_P(every_back_end, a_barrier_orders_what_touches_its_data) {
  runtime rt{env, {.tasks = {.workers = 2}}};
  int mark = 0;
  long before = 0;
  for (int round = 0; round < 20; ++round) {
    rt.task(
        "count", [](int& m) { ++m; }, inout(mark));
    rt.barrier("barrier", inout(mark), options);
    rt.task(
        "look", [](const int& m, long& sum) { sum += m; }, in(mark), inout(before));
  }
  rt.wait();
  EXPECT_EQ(mark, 20);
  EXPECT_EQ(before, 20 * 21 / 2);
}

TEST_P(every_back_end, collectives_can_be_recorded_and_replayed) {
  runtime rt{env, {.tasks = {.workers = 2}}};
  std::vector<double> x(100, 1 + env.rank());
  std::vector<double> total(100);
  graph step = rt.record([&] {
    rt.allreduce("total", in(x), out(total), maximum{}, options);
    rt.task(
        "add",
        [](const std::vector<double>& t, std::vector<double>& to) {
          for (std::size_t i = 0; i < to.size(); ++i) to[i] = t[i] + 1;
        },
        in(total), inout(x));
  });
  rt.replay(step, 50).wait();
  EXPECT_EQ(x, std::vector<double>(100, env.size() + 50));
}

TEST_P(every_back_end, blocks_of_different_sizes_go_where_they_belong) {
  const auto ranks = static_cast<std::size_t>(env.size());
  const auto rank = static_cast<std::size_t>(env.rank());
  // Rank a sends a + b elements to rank b; what is received has gaps of one element.
  std::vector<block> send_blocks;
  std::vector<block> receive_blocks;
  std::size_t sent = 0;
  std::size_t received = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    send_blocks.push_back({rank + r, sent});
    receive_blocks.push_back({rank + r, received});
    sent += rank + r;
    received += rank + r + 1;
  }
  ints x(sent);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < rank + r; ++k)
      x[send_blocks[r].displacement + k] = static_cast<std::int32_t>(1000 * rank + 10 * r + k);
  }
  ints y(received, untouched);
  runtime rt{env};
  rt.alltoallv("alltoallv", in(x), send_blocks, out(y), receive_blocks, options);
  rt.wait();
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t at = receive_blocks[r].displacement;
    for (std::size_t k = 0; k < rank + r; ++k)
      EXPECT_EQ(y[at + k], static_cast<std::int32_t>(1000 * r + 10 * rank + k));
    EXPECT_EQ(y[at + rank + r], untouched) << "the gap behind the block of " << r;
  }
}

}  // namespace
}  // namespace plait::test
