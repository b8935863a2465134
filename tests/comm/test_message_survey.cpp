// SPDX-License-Identifier: BSD-3-Clause
// What an engine says of its messages when nothing moves.
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using state = message_survey::state;

class survey_policies : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
  const int peer = 1 - env.rank();
  messages list;

  void post(engine& e, message& m) {
    e.enqueue(m);
    e.post(m);
  }
  [[nodiscard]] static std::string name_of(const operation& op) {
    return "of " + std::to_string(op.size_bytes);
  }
};
INSTANTIATE_TEST_SUITE_P(message_survey, survey_policies,
                         ::testing::Values(progress::automatic, progress::dedicated,
                                           progress::sleeping, progress::workers, progress::none),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(survey_policies, a_receive_under_way_is_listed_with_all_that_is_known_of_it) {
  engine e(env, {.policy = GetParam()});
  message& m = receive(list, peer, 7, 100);
  e.attach(m);
  post(e, m);
  const message_survey found = e.survey(&name_of);
  EXPECT_TRUE(found.taken);
  EXPECT_TRUE(found.arrivals.empty());
  ASSERT_EQ(found.messages.size(), 1U);
  EXPECT_EQ(found.messages[0].what, operation::kind::receive);
  EXPECT_EQ(found.messages[0].name, "of 100");
  EXPECT_EQ(found.messages[0].peer, peer);
  EXPECT_EQ(found.messages[0].tag, 7);
  EXPECT_EQ(found.messages[0].size_bytes, 100U);
  EXPECT_EQ(found.messages[0].place, 1U);
  EXPECT_EQ(found.messages[0].is, state::under_way);
  EXPECT_GE(found.messages[0].age_s, 0);
  EXPECT_TRUE(e.cancel(0.5));
  env.barrier();
}

TEST_P(survey_policies, those_parked_name_the_place_that_must_be_first) {
  engine e(env, {.policy = GetParam()});
  for (int k = 0; k < 65; ++k) {
    e.attach(receive(list, peer, 1, 8));
    e.enqueue(list.back());
  }
  e.post(list.back());  // place 65, with whatever power of two of residues up to 64
  const message_survey found = e.survey(&name_of);
  ASSERT_EQ(found.messages.size(), 1U);
  EXPECT_EQ(found.messages[0].is, state::parked);
  EXPECT_EQ(found.messages[0].place, 65U);
  EXPECT_EQ(found.messages[0].behind, 1U);
  EXPECT_TRUE(e.cancel(0.5));
  env.barrier();
}

// Rank 1 sends the tags 2 and 3; rank 0 has received one of tag 2, and then submits one more.
TEST_P(survey_policies, what_has_come_is_known_by_its_place) {
  engine e(env, {.policy = GetParam()});
  if (env.rank() == 1) {
    for (int k = 0; k < 2; ++k) {
      message& m = send(list, 0, 2, pattern(1, 40));
      e.attach(m);
      post(e, m);
    }
    wait_for_all(e, list);
  }
  env.barrier();
  if (env.rank() == 0) {
    message& first = receive(list, 1, 2, 40);
    e.attach(first);
    post(e, first);
    wait_for_all(e, list);
    message_survey found = e.survey(&name_of);
    EXPECT_TRUE(found.messages.empty());
    ASSERT_EQ(found.arrivals.size(), 1U);
    EXPECT_EQ(found.arrivals[0].peer, 1);
    EXPECT_EQ(found.arrivals[0].tag, 2);
    EXPECT_EQ(found.arrivals[0].place, 2U);
    EXPECT_EQ(found.arrivals[0].size_bytes, 40U);
    EXPECT_FALSE(found.arrivals[0].receive_submitted);

    message& second = receive(list, 1, 2, 40);
    e.attach(second);
    e.enqueue(second);
    found = e.survey(&name_of);
    ASSERT_EQ(found.arrivals.size(), 1U);
    EXPECT_TRUE(found.arrivals[0].receive_submitted);
    e.post(second);
    wait_for_all(e, list);
    EXPECT_TRUE(e.survey(&name_of).arrivals.empty());
  }
  env.barrier();
}

TEST_P(survey_policies, without_the_token_nothing_is_known) {
  engine e(env, {.policy = GetParam()});
  mpi_token_guard guard(env.token());
  EXPECT_FALSE(e.survey(&name_of, 0.01).taken);
}

}  // namespace
}  // namespace plait::test
