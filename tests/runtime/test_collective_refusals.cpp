// SPDX-License-Identifier: BSD-3-Clause
// Collective operations whose buffers, blocks or roots do not fit are refused before anything is
// sent.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/runtime/runtime.hpp>

#include "collective_ways.hpp"
#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using collective::algorithm;
using ints = std::vector<std::int32_t>;

// Smaller, larger, and no whole number of parts: of every operation, by both back ends.
TEST(collective_refusals, sizes_that_do_not_fit_are_refused_and_nothing_is_submitted) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  const auto ranks = static_cast<std::size_t>(env.size());
  const auto own = static_cast<std::size_t>(env.rank());
  const bool alone = ranks == 1;
  for (const collective_options& by : {collective_options{}, by_library()}) {
    const auto refused = [&](auto&& call) {
      const std::string text = refusal(call);
      EXPECT_NE(text.find(" 'odd': "), std::string::npos) << text;
      EXPECT_NE(text.find(" element"), std::string::npos) << text;
    };
    const ints x(3);
    for (const std::size_t other : {std::size_t{0}, std::size_t{2}, std::size_t{5}}) {
      ints y(other);
      refused([&] { rt.allreduce("odd", in(x), out(y), sum{}, by); });
      refused([&] { rt.scan("odd", in(x), out(y), sum{}, by); });
      refused([&] { rt.reduce("odd", in(x), out(y), env.rank(), sum{}, by); });
      if (own > 0) refused([&] { rt.exscan("odd", in(x), out(y), sum{}, by); });
      if (alone) continue;
      for (const std::size_t parts : {ranks - 1, ranks + 1}) {
        ints all(3 * parts);
        refused([&] { rt.allgather("odd", in(x), out(all), by); });
        refused([&] { rt.gather("odd", in(x), out(all), env.rank(), by); });
        if (3 * parts == other * ranks) continue;
        refused([&] { rt.scatter("odd", in(std::as_const(all)), out(y), env.rank(), by); });
        refused([&] { rt.reduce_scatter_block("odd", in(std::as_const(all)), out(y), sum{}, by); });
      }
    }
    const ints four(2 * ranks);
    for (const std::size_t other : {2 * ranks - 1, 2 * ranks + 1, 3 * ranks}) {
      ints y(other);
      refused([&] { rt.alltoall("odd", in(four), out(y), by); });
      ints z(2 * ranks);
      refused([&] { rt.alltoall("odd", in(std::as_const(y)), out(z), by); });
    }
    if (!alone) {  // in place
      ints odd(2 * ranks + 1);
      refused([&] { rt.alltoall("odd", inout(odd), by); });
      refused([&] { rt.allgather("odd", inout(odd), by); });
      refused([&] { rt.gather("odd", inout(odd), env.rank(), by); });
      refused([&] { rt.scatter("odd", in(std::as_const(odd)), env.rank(), by); });
      refused([&] { rt.reduce_scatter_block("odd", inout(odd), sum{}, by); });
    }
    // Listed blocks: those lie in their buffer, vectors have the size of theirs.
    const auto threes = collective::packed(std::vector<std::size_t>(ranks, 3));
    std::vector<block> beyond = threes;
    beyond[ranks - 1].displacement = SIZE_MAX - 1;
    ints all(3 * ranks + 2);
    const ints few(2);
    ints many(4);
    refused([&] { rt.allgatherv("odd", in(few), out(all), threes, by); });
    refused([&] { rt.allgatherv("odd", in(many), out(all), threes, by); });
    refused([&] { rt.allgatherv("odd", in(x), out(all), beyond, by); });
    refused([&] { rt.allgatherv("odd", inout(all), beyond, by); });
    refused([&] { rt.gatherv("odd", in(few), out(all), threes, env.rank(), by); });
    refused([&] { rt.gatherv("odd", inout(all), beyond, env.rank(), by); });
    refused([&] { rt.scatterv("odd", in(std::as_const(all)), threes, out(many), env.rank(), by); });
    refused([&] { rt.scatterv("odd", in(std::as_const(all)), beyond, env.rank(), by); });
    refused(
        [&] { rt.reduce_scatter("odd", in(std::as_const(all)), threes, out(many), sum{}, by); });
    refused([&] { rt.reduce_scatter("odd", inout(all), beyond, sum{}, by); });
    refused([&] { rt.alltoallv("odd", in(std::as_const(all)), threes, out(many), beyond, by); });
    ints received(3 * ranks);
    std::vector<block> unlike = threes;
    --unlike[own].count;
    refused(
        [&] { rt.alltoallv("odd", in(std::as_const(all)), threes, out(received), unlike, by); });
    refused([&] { rt.alltoallv("odd", inout(all), beyond, by); });
    std::vector<block> twice = threes;
    if (!alone) {
      twice[1].displacement = 2;
      refused([&] { rt.allgatherv("odd", in(x), out(all), twice, by); });
      refused([&] { rt.alltoallv("odd", inout(all), twice, by); });
    }
  }
  const neighbourhood itself{{env.rank()}, {env.rank()}};
  const ints x(3);
  for (const std::size_t other : {std::size_t{2}, std::size_t{4}}) {
    ints y(other);
    EXPECT_NE(refusal([&] { rt.neighbour_allgather("odd", in(x), out(y), itself); }), "accepted");
    EXPECT_NE(refusal([&] { rt.neighbour_alltoall("odd", in(x), out(y), itself); }), "accepted");
    EXPECT_NE(refusal([&] {
                rt.neighbour_allgatherv("odd", in(x), out(y), {{other, 0}}, itself);
              }),
              "accepted");
    EXPECT_NE(refusal([&] {
                rt.neighbour_alltoallv("odd", in(x), {{3, 0}}, out(y), {{other, 0}}, itself);
              }),
              "accepted");
  }
  ints y(6);
  EXPECT_EQ(refusal([&] {
              rt.neighbour_allgather("odd", in(x), out(y), {{env.rank(), env.rank()}, {}});
            }),
            "neighbour_allgather 'odd': this rank is 0 times among its destinations and 2 times "
            "among its sources; both must be the same");
  rt.wait();
  EXPECT_EQ(rt.progress_statistics().operations, 0U);
}

TEST(collective_refusals, one_memory_for_both_buffers_is_refused_where_they_share_bytes) {
  runtime rt{test_environment(), {.tasks = {.workers = 1}}};
  ints x(4);
  EXPECT_EQ(refusal([&] { rt.allreduce("total", in(std::as_const(x)), out(x)); }),
            "allreduce 'total': in(x) and out(y) share bytes; in place is the form with one "
            "buffer");
  rt.wait();
}

TEST(collective_refusals, what_does_not_fit_is_refused_in_one_line) {
  environment& env = test_environment();
  runtime rt{env};
  ints x(4);
  ints y(3);
  EXPECT_EQ(refusal([&] { rt.allreduce("total", in(x), out(y)); }),
            "allreduce 'total': the receive buffer has 3 elements and needs 4");
  EXPECT_EQ(refusal([&] { rt.bcast("news", inout(x), env.size()); }),
            "bcast 'news': root " + std::to_string(env.size()) + "; ranks are 0 to " +
                std::to_string(env.size() - 1));
  EXPECT_NE(refusal([&] {
              rt.bcast("news", inout(x), 0, {.algorithm = algorithm::ring});
            }).find("linear, binomial or chain"),
            std::string::npos);
  const auto ranks = static_cast<std::size_t>(env.size());
  ints all(4 * ranks);
  std::vector<block> blocks(ranks);
  for (std::size_t r = 0; r < ranks; ++r) blocks[r] = {4, 4 * r};
  EXPECT_EQ(refusal([&] { rt.allgatherv("all", in(y), out(all), blocks); }),
            "allgatherv 'all': the send buffer has 3 elements and needs 4");
  EXPECT_EQ(refusal([&] { rt.allgatherv("all", in(x), out(all), {}); }),
            "allgatherv 'all': 0 blocks for " + std::to_string(ranks) + " ranks");
  if (env.rank() != 0) {
    EXPECT_EQ(refusal([&] { rt.gather("all", inout(all), 0); }),
              "gather 'all': in place on the root only, which is 0; here name in(x) and out(y)");
  }
  EXPECT_EQ(refusal([&] { rt.alltoallv("all", in(all), {}, out(all), blocks); }),
            "alltoallv 'all': 0 blocks for " + std::to_string(ranks) + " ranks");
  rt.wait();
}

}  // namespace
}  // namespace plait::test
