// SPDX-License-Identifier: BSD-3-Clause
// The dialect `plait` on links that something else simulates: links that nobody shares take what
// ports do, to the picosecond.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/flow_network.hpp>
#include <plait/simulate/goal.hpp>

namespace {

using plait::simulate::flow_network;
using plait::simulate::look_policy;
using plait::simulate::machine;
using plait::simulate::parse_goal;
using plait::simulate::predict;
using plait::simulate::prediction;
using plait::simulate::program;

/// Each flow has a link of its own.
class unshared_links final : public flow_network {
 public:
  unshared_links(std::int64_t latency_ps, double byte_ps)
      : latency_ps_(latency_ps), byte_ps_(byte_ps) {}

  void restart() override {
    EXPECT_TRUE(ends_.empty());
    now_ps_ = 0;
  }
  std::int64_t latency_ps(std::uint32_t from, std::uint32_t to) override {
    if (from == 3 || to == 3) throw plait::usage_error("no link leads to host 3");
    return latency_ps_;
  }
  void start(std::uint32_t flow, std::uint32_t, std::uint32_t, std::uint64_t bytes,
             std::int64_t at_ps) override {
    EXPECT_GE(at_ps, now_ps_);
    EXPECT_GE(bytes, 1U);
    ++flows;
    const auto took = std::llround(static_cast<double>(bytes) * byte_ps_);
    EXPECT_TRUE(ends_.emplace(flow, at_ps + took).second);
  }
  std::optional<ended_flow> first_end(std::int64_t until_ps) override {
    const auto first =
        std::ranges::min_element(ends_, {}, [](const auto& one) { return one.second; });
    EXPECT_NE(first, ends_.end());
    now_ps_ = std::min(first->second, until_ps);
    if (first->second > until_ps) return std::nullopt;
    const ended_flow ended{first->first, first->second};
    ends_.erase(first);
    return ended;
  }

  int flows = 0;

 private:
  const std::int64_t latency_ps_;
  const double byte_ps_;
  std::int64_t now_ps_ = 0;
  std::map<std::uint32_t, std::int64_t> ends_;
};

/// A short message, a burst, one that is asked for, a calculation beside them, and an answer.
constexpr const char* pair = R"(num_ranks 2
rank 0 {
l1: send 1b to 1 tag 1
l2: send 5000b to 1 tag 2
l3: send 100000b to 1 tag 3
l4: calc 70000
l5: recv 300b from 1 tag 4
l6: calc 1000
l6 requires l5
}
rank 1 {
l1: recv 1b from 0 tag 1
l2: recv 5000b from 0 tag 2
l3: calc 200000
l4: recv 100000b from 0 tag 3
l4 requires l2
l5: send 300b to 0 tag 4
l5 requires l4
}
)";

[[nodiscard]] machine ports() {
  machine on;
  on.latency_ps = 20'000'000;
  on.send_overhead_ps = 2'000'000;
  on.receive_overhead_ps = 3'000'000;
  on.gap_ps = 4'000'000;
  on.byte_ps = 8000;
  on.overhead_byte_ps = 500;
  on.eager_limit_bytes = 65536;
  return on;
}

TEST(flow_network, takes_what_ports_take_where_nothing_is_shared) {
  const program of = parse_goal(pair, "pair");
  for (const look_policy policy : {look_policy::none, look_policy::workers, look_policy::sleeping,
                                   look_policy::automatic, look_policy::dedicated}) {
    machine on = ports();
    on.policy = policy;
    on.cores = 1;
    on.workers = 1;
    const prediction by_ports = predict(of, on);
    unshared_links links(on.latency_ps, on.byte_ps);
    on.links = &links;
    on.latency_ps = 0;
    on.byte_ps = 0;
    for (int run = 0; run < 2; ++run) {
      const prediction by_links = predict(of, on);
      EXPECT_EQ(by_links.time_ps, by_ports.time_ps) << to_string(policy);
      EXPECT_EQ(by_links.finish_ps, by_ports.finish_ps);
      EXPECT_EQ(by_links.parts_ps, by_ports.parts_ps);
    }
  }
}

TEST(flow_network, carries_nothing_within_a_node) {
  machine on = ports();
  on.node_of = {0, 0};
  unshared_links links(on.latency_ps, on.byte_ps);
  on.links = &links;
  on.eager_limit_bytes = 1 << 30;
  const program of = parse_goal(
      "num_ranks 2\nrank 0 {\nl1: send 9b to 1\n}\nrank 1 {\nl1: recv 9b from 0\n}\n", "near");
  EXPECT_EQ(predict(of, on).time_ps, 2'000'000 + 3'000'000 + 8 * 500);
  EXPECT_EQ(links.flows, 0);
}

TEST(flow_network, has_the_last_word_on_who_can_be_reached) {
  machine on = ports();
  on.node_of = {0, 3};
  unshared_links links(on.latency_ps, on.byte_ps);
  on.links = &links;
  EXPECT_THROW((void)predict(parse_goal(pair, "pair"), on), plait::usage_error);
}

}  // namespace
